-- What the payment provider's webhook does, as a role that may do nothing else.
grant webhook to authenticator;
grant usage on schema public to webhook;
grant insert, update on products, prices, subscriptions to webhook;
create policy "The webhook writes." on subscriptions for all to webhook using (true) with check (true);
