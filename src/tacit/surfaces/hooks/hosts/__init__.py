"""What each agent tells a hook, and how a hook answers it. One file a host; a hook imports only the one it is for."""
