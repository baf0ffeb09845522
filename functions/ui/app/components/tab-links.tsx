import { Link, type LinkProps } from '@tanstack/react-router'

type Tab = { to: NonNullable<LinkProps['to']>; label: string; params?: Readonly<Record<string, string>> }

/** The parts of a view, each with an address of its own. */
export const TabLinks = ({ label, tabs }: { label: string; tabs: readonly Tab[] }) => (
  <nav aria-label={label} className="shrink-0 overflow-x-auto border-b px-2 md:px-4">
    <ul className="flex gap-1">
      {tabs.map(({ to, label: says, params }) => (
        <li key={to}>
          <Link
            to={to}
            params={(params ?? {}) as never}
            activeOptions={{ exact: true, includeSearch: false }}
            className="-mb-px flex h-10 items-center border-b-2 border-transparent px-2 whitespace-nowrap text-muted-foreground hover:text-foreground data-[status=active]:border-foreground data-[status=active]:font-medium data-[status=active]:text-foreground"
          >
            {says}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
