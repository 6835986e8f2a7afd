import { installErrorLogging } from './error-log';

test('what nobody caught is logged once, with the time', () => {
  const log = jest.spyOn(console, 'error').mockImplementation();
  installErrorLogging();
  installErrorLogging();
  const error = new Error('boom');
  window.dispatchEvent(new ErrorEvent('error', { error }));
  expect(log).toHaveBeenCalledTimes(1);
  expect(log).toHaveBeenCalledWith(
    expect.stringMatching(/^\[\d{4}-\d\d-\d\dT.*Z\] Uncaught error$/),
    error,
  );

  log.mockClear();
  window.dispatchEvent(Object.assign(new Event('unhandledrejection'), { reason: error }));
  expect(log).toHaveBeenCalledTimes(1);
  expect(log).toHaveBeenCalledWith(expect.stringMatching(/Unhandled rejection$/), error);
  log.mockClear();
});
