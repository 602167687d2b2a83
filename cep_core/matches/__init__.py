"""What a notebook asks of listed matches: their events, why each is one, why others are none, a picture."""
