import { guessType, validateValue, type VariableType } from './variable-types';

test.each<[string, VariableType]>([
  ['email', 'email'],
  ['user_email', 'email'],
  ['userEmail', 'email'],
  ['replyEmailAddress', 'email'],
  ['contactemail', 'email'],
  ['mail', 'email'],
  ['mailing_address', 'text'],
  ['url', 'url'],
  ['website_url', 'url'],
  ['mywebsite', 'url'],
  ['link', 'url'],
  ['blinking', 'text'],
  ['due_date', 'date'],
  ['start-time', 'date'],
  ['day', 'date'],
  ['candidate', 'text'],
  ['update', 'text'],
  ['timezone', 'text'],
  ['runtime', 'text'],
  ['sentiment', 'text'],
  ['age', 'number'],
  ['word_count', 'number'],
  ['phonenumber', 'number'],
  ['year', 'number'],
  ['language', 'text'],
  ['message', 'text'],
  ['page', 'text'],
  ['account', 'text'],
  ['discount', 'text'],
  ['manager', 'text'],
  ['topic', 'text'],
])('%s is probably %s', (name, expected) => {
  expect(guessType(name)).toBe(expected);
});

test.each<[VariableType, string]>([
  ['email', 'a@b.co'],
  ['url', 'https://example.com'],
  ['url', 'http://x'],
  ['date', '2024-02-29'],
  ['number', '-1.5e3'],
  ['text', 'anything'],
  ['email', ''],
  ['url', ''],
  ['date', ''],
  ['number', ''],
])('%s accepts %j', (type, value) => {
  expect(validateValue(type, value)).toEqual({ isValid: true, message: '' });
});

test.each<[VariableType, string, string]>([
  ['email', 'a@b', 'Please enter a valid email address'],
  ['email', 'a b@c.de', 'Please enter a valid email address'],
  ['email', 'a@b@c.de', 'Please enter a valid email address'],
  ['email', '@c.de', 'Please enter a valid email address'],
  ['email', 'a@.', 'Please enter a valid email address'],
  ['url', 'example.com', 'Please enter a valid URL (starting with http:// or https://)'],
  ['url', 'ftp://x', 'Please enter a valid URL (starting with http:// or https://)'],
  ['date', '20.11.2026', 'Please enter a valid date (YYYY-MM-DD)'],
  ['date', '2026-02-31', 'Please enter a valid date (YYYY-MM-DD)'],
  ['date', '2026-13-01', 'Please enter a valid date (YYYY-MM-DD)'],
  ['number', 'three', 'Please enter a valid number'],
  ['number', '1,5', 'Please enter a valid number'],
  ['number', 'Infinity', 'Please enter a valid number'],
])('%s refuses %j', (type, value, message) => {
  expect(validateValue(type, value)).toEqual({ isValid: false, message });
});
