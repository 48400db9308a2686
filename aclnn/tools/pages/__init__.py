"""Pages made from declarations: some are committed in docs/, others exist only on the documentation site."""
