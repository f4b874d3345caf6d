"""What errors say: phrases that many programs share, never one program's whole message. A test reads each example."""
