"""What an edited query changes on days of the lake: rows added, gone and changed, with reasons."""
