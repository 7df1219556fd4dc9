from mastermind_server.bans import Ban, Bans


def test_a_ban_is_for_a_network_and_may_end():
    bans = Bans()
    assert bans.replace([Ban("2001:db8::/64", 1000, "x")]) == {"2001:db8::/64"}
    assert bans.find("2001:db8::/64", 999) is not None
    assert bans.find("2001:db8::/64", 1000) is None
    assert bans.find("2001:db8:0:1::/64", 999) is None
    bans.replace([Ban("2001:db8::/64", None, "x")])
    assert bans.find("2001:db8::/64", 10**15) is not None


def test_an_ended_ban_is_not_counted_and_may_be_renewed():
    bans = Bans()
    bans.replace([Ban("A", 1000, "x"), Ban("B", None, "y")])
    assert [bans.count(999), bans.count(1000)] == [2, 1]
    assert bans.replace([Ban("A", 3000, "x"), Ban("B", None, "y")]) == {"A"}
