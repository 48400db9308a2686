"""Pages made of declarations: those that stand in docs/, and those that only the documentation site has."""
