import { downloadText } from './download-text';

test('a text becomes a file of that name, and its address is given back', () => {
  jest.useFakeTimers();
  const revoke = jest.fn();
  const saved: { name: string; href: string }[] = [];
  const blobs: Blob[] = [];
  URL.createObjectURL = (blob: Blob) => {
    blobs.push(blob);
    return 'blob:test';
  };
  URL.revokeObjectURL = revoke;
  jest.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (
    this: HTMLAnchorElement,
  ) {
    saved.push({ name: this.download, href: this.href });
  });
  downloadText('welcome.txt', 'Hello');
  expect(saved).toEqual([{ name: 'welcome.txt', href: 'blob:test' }]);
  expect(blobs[0]?.size).toBe(5);
  expect(revoke).not.toHaveBeenCalled();
  jest.runAllTimers();
  expect(revoke).toHaveBeenCalledWith('blob:test');
  jest.useRealTimers();
});
