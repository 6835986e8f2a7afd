insert into auth.users (instance_id, id, aud, role, email, encrypted_password, email_confirmed_at, raw_app_meta_data, raw_user_meta_data, created_at, updated_at, confirmation_token, email_change, email_change_token_new, recovery_token)
values ('00000000-0000-0000-0000-000000000000', '7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00', 'authenticated', 'authenticated', 'ada@example.com', extensions.crypt('password123', extensions.gen_salt('bf')), current_timestamp, '{"provider":"email","providers":["email"]}', '{}', current_timestamp, current_timestamp, '', '', '', '');
insert into auth.identities (id, user_id, provider_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
values (extensions.uuid_generate_v4(), '7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00', '7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00', '{"sub":"7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00","email":"ada@example.com"}', 'email', current_timestamp, current_timestamp, current_timestamp);

insert into public.todos (user_id, task) values ('7f1f0cb0-6f4e-4f0b-9d52-6d3a3a1c2f00', 'Buy milk; and bread');
