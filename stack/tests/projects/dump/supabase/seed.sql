SET session_replication_role = replica;

--
-- Data for Name: notes; Type: TABLE DATA; Schema: public; Owner: postgres
--

-- Nobody of this id is there: the dump of auth.users comes in another file.
INSERT INTO "public"."notes" ("id", "body", "owner") VALUES
	(1, 'first; note', '00000000-0000-4000-8000-000000000001'),
	(2, 'it''s', NULL);

SELECT pg_catalog.setval('"public"."notes_id_seq"', 2, true);

RESET ALL;
