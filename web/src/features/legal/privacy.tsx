import { BRAND } from '@/config/brand';
import { LegalPage } from './legal-page';

export function Privacy() {
  return (
    <LegalPage title="Privacy" updated="20 November 2026">
      <h2>What we keep</h2>
      <ul>
        <li>
          Your email address, to sign you in and, if you joined the waitlist, to write to you.
        </li>
        <li>Your name, if you gave one, and what a sign-in provider passes on about you.</li>
        <li>The prompts, versions and tags you save.</li>
        <li>
          Records of requests (time, address, path, result), to keep the service running and safe.
        </li>
      </ul>
      <h2>What your browser keeps</h2>
      <p>
        Your session, your theme and small preferences, in this browser&apos;s own storage. There
        are no advertising cookies, no trackers, and nothing is loaded from other sites.
      </p>
      <h2>What you type into the playground</h2>
      <p>
        Values of variables are sent to the server to compile a template and are not stored. A link
        you share contains the values in it: anyone who has the link can read them.
      </p>
      <h2>Who else sees it</h2>
      <p>
        Nobody buys or gets your data. Those who run this installation of {BRAND.name} can see it as
        far as running it requires.
      </p>
      <h2>Your choice</h2>
      <p>
        You can export your prompts, and ask for your account and everything in it to be deleted.
      </p>
    </LegalPage>
  );
}
