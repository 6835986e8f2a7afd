/**
 * The words of the landing page that make claims, in one place for the owner to approve.
 * SOC2, 99.9 %, 80 %, five minutes and round-the-clock support are the owner's own claims and
 * worded as goals where they are figures; the testimonials are samples and say so on the page.
 */
import {
  Code,
  GitBranch,
  Gauge,
  type LucideIcon,
  Package,
  ShieldCheck,
  SquareTerminal,
} from 'lucide-react';

export type FeatureCard = {
  icon: LucideIcon;
  title: string;
  description: string;
  /** Colours of the 2 px highlight: each card burns a little hotter than the one before. */
  gradient: [from: string, to: string];
  /** The small piece of the product shown in the card. */
  specimen: SpecimenKind;
};

export type SpecimenKind = 'diff' | 'fill' | 'values' | 'fetch' | 'publish' | 'access';

export const FEATURES: FeatureCard[] = [
  {
    icon: GitBranch,
    title: 'Version control',
    description:
      'Every save is a numbered version. Compare any two, and roll back by publishing an old one again.',
    gradient: ['#FDE68A', '#FBBF24'],
    specimen: 'diff',
  },
  {
    icon: Code,
    title: 'Runtime interpolation',
    description:
      'Jinja2-style runtime interpolation with single braces. Values are data: nothing in them is ever executed.',
    gradient: ['#FCD34D', '#FB923C'],
    specimen: 'fill',
  },
  {
    icon: SquareTerminal,
    title: 'Playground',
    description:
      'Fill in variables, compile, and see exactly the text your code will receive, before it does.',
    gradient: ['#FBBF24', '#F97316'],
    specimen: 'values',
  },
  {
    icon: Package,
    title: 'Python and JavaScript SDKs',
    description:
      'Native, type-safe clients for Python and JavaScript, and a plain HTTP API for everything else.',
    gradient: ['#FB923C', '#EA580C'],
    specimen: 'fetch',
  },
  {
    icon: Gauge,
    title: 'Built for speed',
    description:
      'Our goal: 80% faster from an idea for a prompt to production. Deploy in under 5 minutes.',
    gradient: ['#F97316', '#DC2626'],
    specimen: 'publish',
  },
  {
    icon: ShieldCheck,
    title: 'Ready for production',
    description:
      'Designed for SOC2 controls and a 99.9% uptime target, with access rules enforced in the database.',
    gradient: ['#EA580C', '#991B1B'],
    specimen: 'access',
  },
];

export type Testimonial = {
  quote: string;
  author: string;
  title: string;
  initials: string;
  company: string;
};

export const TESTIMONIALS: Testimonial[] = [
  {
    quote:
      'A product manager fixed our refund prompt on a Friday evening. Nobody had to deploy anything.',
    author: 'Sample Author',
    title: 'Engineering lead',
    initials: 'SA',
    company: 'Example Support Co',
  },
  {
    quote: 'We read a prompt change as we read a code change: line by line, with a way back.',
    author: 'Another Sample',
    title: 'Staff engineer',
    initials: 'AS',
    company: 'Example Analytics',
  },
  {
    quote: 'One place for the text, one key in the code. The rest of our stack did not notice.',
    author: 'Third Sample',
    title: 'Founder',
    initials: 'TS',
    company: 'Example Studio',
  },
];

export const TRUST = [
  'No credit card required',
  'Deploy in under 5 minutes',
  '24/7 developer support',
];
