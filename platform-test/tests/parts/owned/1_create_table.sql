create table owned_ledger.things (word text);
