import { GitBranch, Package, Zap } from 'lucide-react';
import { Card } from '@/components/ui/card';
import { WaitlistForm } from './waitlist-form';

const SELLING_POINTS = [
  {
    icon: Zap,
    title: 'Ship faster',
    text: 'Change a prompt without a release. What you save is what your code fetches next.',
  },
  {
    icon: GitBranch,
    title: 'Version control',
    text: 'Track changes, roll back safely, and collaborate with your team.',
  },
  {
    icon: Package,
    title: 'Native SDKs',
    text: 'Native, type-safe SDKs for Python, JavaScript and more.',
  },
];

export function Waitlist() {
  return (
    <div className="relative isolate overflow-hidden">
      <div
        aria-hidden="true"
        className="ember-glow pointer-events-none absolute -top-40 right-[-20%] -z-10 size-[44rem] max-w-[140vw]"
      />
      <div className="mx-auto grid max-w-content gap-12 px-4 py-14 md:px-6 md:py-24 lg:grid-cols-[1.1fr_1fr] lg:items-center lg:gap-20">
        <div>
          <p className="text-sm font-medium text-accent">Early access</p>
          <h1 className="mt-3 text-3xl md:text-5xl">
            End hardcoded prompts.
            <br />
            Ship faster.
          </h1>
          <ul className="mt-10 grid gap-6">
            {SELLING_POINTS.map(({ icon: Icon, title, text }) => (
              <li key={title} className="flex gap-4">
                <span className="grid size-10 shrink-0 place-items-center rounded-md border bg-surface text-accent">
                  <Icon className="size-5" aria-hidden="true" />
                </span>
                <div>
                  <h2 className="text-base tracking-normal">{title}</h2>
                  <p className="text-muted">{text}</p>
                </div>
              </li>
            ))}
          </ul>
        </div>
        <Card className="relative overflow-hidden p-6 md:p-8">
          <span aria-hidden="true" className="line-ember absolute inset-x-0 top-0 h-0.5" />
          <WaitlistForm />
        </Card>
      </div>
    </div>
  );
}
