"""The same ten-step run with other frameworks. These modules run in an environment that has no Django."""
