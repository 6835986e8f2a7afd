/** Limits of the server that a field keeps itself, so that nobody learns of them by a refusal. */

/** Longest text prompts are searched for, characters. */
export const SEARCH_LIMIT = 200;
/** Longest address mail can be sent to (RFC 5321), characters. */
export const EMAIL_LIMIT = 254;
