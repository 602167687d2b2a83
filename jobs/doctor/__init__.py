"""What a run needs of this machine, of the lake and of executors: looked at, and told with how to mend it."""
