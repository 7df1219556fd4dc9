"""What tests share: the only package that several folders of tests import."""
