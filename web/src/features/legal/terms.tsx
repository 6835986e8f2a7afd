import { BRAND } from '@/config/brand';
import { LegalPage } from './legal-page';

export function Terms() {
  return (
    <LegalPage title="Terms" updated="20 November 2026">
      <h2>What this is</h2>
      <p>
        {BRAND.name} stores, versions and compiles prompt templates. It is in beta: features change,
        and we tell you before a change could lose anything of yours.
      </p>
      <h2>Your account</h2>
      <p>
        You sign in by email or with a provider you choose. Whoever controls that mailbox or account
        controls yours here, so keep it safe, and tell us if it is not.
      </p>
      <h2>Your content</h2>
      <p>
        Prompts you store stay yours. You let us keep and process them for one purpose: to give them
        back to you and to those you share them with. Do not store what you have no right to store.
      </p>
      <h2>Fair use</h2>
      <ul>
        <li>Do not try to reach other people&apos;s private prompts.</li>
        <li>Do not overload the service on purpose; published limits apply to everyone.</li>
        <li>Do not use it for anything unlawful.</li>
      </ul>
      <h2>No warranty during the beta</h2>
      <p>
        The service comes as it is. Figures on our pages that are named as goals are goals and not
        promises. Keep your own copy of what you cannot afford to lose; you can export every prompt.
      </p>
      <h2>Ending it</h2>
      <p>You may stop at any time. We may close an account that breaks these terms, and say why.</p>
    </LegalPage>
  );
}
