"""The players of this user: their identities at servers, and the files that store them."""
