import { ChevronRight, FlaskConical, FolderGit2, Plus, type LucideIcon } from 'lucide-react';
import { Link } from 'react-router-dom';
import { Card, CardBody, CardHeader } from '@/components/ui/card';
import { paths } from '@/config/paths';

export function QuickActions() {
  return (
    <Card>
      <CardHeader title="Quick Actions" />
      <CardBody className="px-2 pt-2 pb-2">
        <ul>
          <Action
            icon={Plus}
            to={paths.promptNew.getHref()}
            label="Create Prompt"
            note="Start a new template"
          />
          <Action
            icon={FlaskConical}
            to={paths.playground.getHref()}
            label="Playground"
            note="Fill in variables and compile"
          />
          <Action
            icon={FolderGit2}
            to={paths.repository.getHref()}
            label="Repository"
            note="Browse all your prompts"
          />
        </ul>
      </CardBody>
    </Card>
  );
}

interface ActionProps {
  icon: LucideIcon;
  to: string;
  label: string;
  note: string;
}

function Action({ icon: Icon, to, label, note }: ActionProps) {
  return (
    <li>
      <Link
        to={to}
        className="group flex min-h-14 items-center gap-3 rounded-md px-3 py-2 hover:bg-raised"
      >
        <span className="grid size-9 shrink-0 place-items-center rounded-md bg-accent-soft text-accent">
          <Icon aria-hidden="true" className="size-4" />
        </span>
        <span className="min-w-0 flex-1">
          <span className="block text-sm font-medium">{label}</span>
          <span className="block text-xs text-muted">{note}</span>
        </span>
        <ChevronRight
          aria-hidden="true"
          className="size-4 shrink-0 text-muted transition-transform duration-150 group-hover:translate-x-0.5"
        />
      </Link>
    </li>
  );
}
