import type { ReactNode } from 'react';

type LegalPageProps = { title: string; updated: string; children: ReactNode };

/** A page of plain text at a readable width. */
export function LegalPage({ title, updated, children }: LegalPageProps) {
  return (
    <article className="mx-auto max-w-2xl px-4 py-14 md:py-20 [&_h2]:mt-10 [&_h2]:mb-2 [&_h2]:text-xl [&_li]:ml-5 [&_li]:list-disc [&_p]:mb-3 [&_ul]:mb-3 [&_ul]:grid [&_ul]:gap-1">
      <h1 className="text-3xl">{title}</h1>
      <p className="mt-2 text-sm text-muted">Last changed {updated}</p>
      {children}
    </article>
  );
}
