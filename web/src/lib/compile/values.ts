/** How a variable's value is written into the compiled text. */

/** The value cannot be written: it has no JSON form. */
export class InvalidValueError extends Error {
  override name = 'InvalidValueError';
  readonly code = 'invalid_value';
}

function assertWritable(name: string, value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new InvalidValueError(`The value of "${name}" is not a finite number`);
  }
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') {
    throw new InvalidValueError(`The value of "${name}" cannot be written as text`);
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new InvalidValueError(`The value of "${name}" is binary data`);
  }
}

/**
 * Text as it is, numbers and booleans in their JSON form, nothing for null, and compact JSON with
 * unescaped characters for lists and objects.
 */
export function formatValue(name: string, value: unknown): string {
  assertWritable(name, value);
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') {
    return JSON.stringify(value, (_key, nested: unknown) => {
      assertWritable(name, nested);
      return nested;
    });
  }
  return String(value);
}
