import { ArrowRight, Check, Flame } from 'lucide-react';
import { Link } from 'react-router-dom';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { BRAND } from '@/config/brand';
import { paths } from '@/config/paths';
import { ApiSample } from './api-sample';
import { type FeatureCard, FEATURES, type Testimonial, TESTIMONIALS, TRUST } from './content';
import { PromptDemo } from './prompt-demo';
import { Specimen } from './specimen';

const frame = 'mx-auto max-w-content px-4 md:px-6';

export function Landing() {
  return (
    <>
      <Hero />
      <Features />
      <ApiSample />
      <Testimonials />
      <CallToAction />
    </>
  );
}

function Hero() {
  return (
    <section className="relative isolate overflow-hidden">
      <div
        aria-hidden="true"
        className="ember-glow pointer-events-none absolute -top-40 -right-80 -z-10 size-[56rem] max-w-none md:-top-24 md:-right-28"
      />
      <div
        className={`${frame} grid gap-12 pt-14 pb-20 md:pt-24 md:pb-28 lg:grid-cols-[1.05fr_1fr] lg:items-center lg:gap-16`}
      >
        <div>
          <Badge tone="accent" className="px-2 py-1">
            <Flame aria-hidden="true" />
            Now in beta!
          </Badge>
          <h1 className="mt-5 text-3xl sm:text-5xl">{BRAND.line}</h1>
          <p className="mt-5 max-w-lg text-base text-muted">
            Keep your prompts out of your code. {BRAND.name} stores and versions them, shows what
            changed, fills in their variables, and hands the result to your app by key.
          </p>
          <div className="mt-8 flex flex-wrap gap-3">
            <Button asChild variant="primary" size="lg">
              <Link to={paths.dashboard.getHref()}>
                Get Started
                <ArrowRight aria-hidden="true" />
              </Link>
            </Button>
            <Button asChild size="lg">
              <Link to={paths.waitlist.getHref()}>Join Waitlist</Link>
            </Button>
          </div>
        </div>
        <PromptDemo />
      </div>
    </section>
  );
}

function Features() {
  return (
    <section id="features" aria-labelledby="features-title" className="border-t bg-surface">
      <div className={`${frame} py-16 md:py-24`}>
        <h2 id="features-title" className="max-w-xl text-2xl md:text-3xl">
          Treat prompts like the code they are
        </h2>
        <ul className="mt-10 grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {FEATURES.map((feature) => (
            <Feature key={feature.title} {...feature} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Feature({ icon: Icon, title, description, gradient, specimen }: FeatureCard) {
  const [from, to] = gradient;
  return (
    <li className="relative flex flex-col overflow-hidden rounded-lg border bg-background p-6">
      <span
        aria-hidden="true"
        className="absolute inset-x-0 top-0 h-0.5"
        style={{ backgroundImage: `linear-gradient(90deg, ${from}, ${to})` }}
      />
      <Icon className="size-5 text-accent" aria-hidden="true" />
      <h3 className="mt-4 text-base tracking-normal">{title}</h3>
      <p className="mt-1 mb-5 text-muted">{description}</p>
      <Specimen kind={specimen} />
    </li>
  );
}

function Testimonials() {
  return (
    <section aria-labelledby="testimonials-title" className="border-t">
      <div className={`${frame} py-16 md:py-24`}>
        <h2 id="testimonials-title" className="text-2xl md:text-3xl">
          Trusted by AI Teams Worldwide
        </h2>
        <p className="mt-2 text-muted">
          Sample quotes: they show what this page will look like with our beta users&apos; own
          words.
        </p>
        <ul className="mt-10 grid gap-4 lg:grid-cols-3">
          {TESTIMONIALS.map((testimonial) => (
            <Quote key={testimonial.author} {...testimonial} />
          ))}
        </ul>
      </div>
    </section>
  );
}

function Quote({ quote, author, title, initials, company }: Testimonial) {
  return (
    <li className="rounded-lg border bg-surface p-6">
      <figure className="flex h-full flex-col gap-6">
        <blockquote className="flex-1">“{quote}”</blockquote>
        <figcaption className="flex items-center gap-3 text-sm">
          <span
            aria-hidden="true"
            className="grid size-10 shrink-0 place-items-center rounded-full bg-raised text-xs font-semibold text-muted"
          >
            {initials}
          </span>
          <span className="mr-auto grid">
            <span className="font-medium">{author}</span>
            <span className="text-muted">
              {title}, {company}
            </span>
          </span>
          <Badge>Sample</Badge>
        </figcaption>
      </figure>
    </li>
  );
}

function CallToAction() {
  return (
    <section aria-labelledby="start-title" className="border-t bg-surface">
      <div className={`${frame} flex flex-col items-center py-16 text-center md:py-24`}>
        <h2 id="start-title" className="text-3xl md:text-5xl">
          Ready to Ship AI Products Faster?
        </h2>
        <div className="mt-8 flex flex-wrap justify-center gap-3">
          <Button asChild variant="primary" size="lg">
            <Link to={paths.waitlist.getHref()}>Join Waitlist</Link>
          </Button>
          <Button asChild size="lg">
            <a href={paths.docs.getHref()} target="_blank" rel="noopener">
              Read the documentation
            </a>
          </Button>
        </div>
        <ul className="mt-10 flex flex-wrap justify-center gap-x-8 gap-y-2 text-sm text-muted">
          {TRUST.map((line) => (
            <li key={line} className="flex items-center gap-2">
              <Check className="size-4 text-success" aria-hidden="true" />
              {line}
            </li>
          ))}
        </ul>
      </div>
    </section>
  );
}
