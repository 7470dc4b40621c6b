"""Staff can read the shop in the admin, and move no money there."""

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import User
from django.test import RequestFactory

from billing.models import Account, Entry, GiftCardEntry, PaymentMethod
from orders.models import Address, Exchange, Order, Return, Shipment
from orders.sample_shop import load_sample_shop

READ_ONLY = (PaymentMethod, Account, Entry, GiftCardEntry, Order, Address, Shipment, Return, Exchange)


@pytest.fixture
def request_of_admin(db):
    load_sample_shop()
    request = RequestFactory().get("/admin/")
    request.user = User.objects.get(username="admin")
    return request


@pytest.mark.parametrize("model", READ_ONLY)
def test_admin_lists_and_shows_rows_and_changes_none(request_of_admin, model):
    admin = site.get_model_admin(model)
    row = model.objects.first()

    pages = (admin.changelist_view(request_of_admin), admin.change_view(request_of_admin, str(row.pk)))

    assert [page.render().status_code for page in pages] == [200, 200]
    assert not admin.has_add_permission(request_of_admin)
    assert not admin.has_change_permission(request_of_admin, row)
    assert not admin.has_delete_permission(request_of_admin, row)
