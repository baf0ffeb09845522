import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Problem } from '../../components/problem.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { type Described, useApiDescription } from '../../data/api-description.ts'
import { groups, guides } from './guides.ts'
import { Method } from './method.tsx'

export const byTag = (operations: readonly Described[]): [tag: string, operations: readonly Described[]][] =>
  Object.entries(Object.groupBy(operations, ({ tags: [tag = ''] }) => tag)).map(([tag, rows = []]) => [
    tag,
    rows,
  ])

const entryClass =
  'flex min-h-7 items-center gap-2 rounded-md px-2 py-1 text-muted-foreground hover:bg-accent hover:text-foreground data-[status=active]:bg-accent data-[status=active]:font-medium data-[status=active]:text-foreground'

type SectionProps = { title: string; isOpen: boolean; children: ReactNode }

/** Open if it contains the current page or a match. */
const Section = ({ title, isOpen, children }: SectionProps) => (
  <details open={isOpen} className="pt-1">
    <summary className="rounded-md px-2 py-1 font-medium hover:bg-accent">{title}</summary>
    <ul className="flex flex-col gap-px pb-2 pl-2">{children}</ul>
  </details>
)

const has = (search: string, ...texts: readonly string[]) =>
  texts.some((text) => text.toLowerCase().includes(search.toLowerCase()))

const Guides = ({ search, path }: { search: string; path: string }) =>
  Object.entries(groups).map(([group, label]) => {
    const found = guides.filter((guide) => guide.group === group && has(search, guide.title, guide.page))
    if (found.length === 0) return null
    return (
      <Section key={group} title={label} isOpen={search !== '' || path.startsWith(`/docs/${group}/`)}>
        {found.map(({ page, title }) => (
          <li key={page}>
            <Link
              to="/docs/$group/$page"
              params={{ group, page }}
              activeOptions={{ includeHash: false }}
              className={entryClass}
            >
              {title}
            </Link>
          </li>
        ))}
      </Section>
    )
  })

const Operations = ({
  operations,
  search,
  path,
}: {
  operations: readonly Described[]
  search: string
  path: string
}) =>
  byTag(operations.filter(({ operationId, path, summary }) => has(search, operationId, path, summary))).map(
    ([tag, rows = []]) => (
      <Section
        key={tag}
        title={`API: ${tag}`}
        isOpen={search !== '' || rows.some(({ operationId }) => path === `/docs/api/${operationId}`)}
      >
        {rows.map(({ operationId, method, summary }) => (
          <li key={operationId}>
            <Link
              to="/docs/api/$operation"
              params={{ operation: operationId }}
              activeOptions={{ includeSearch: false }}
              className={entryClass}
              title={summary}
            >
              <Method method={method} />
              <span className="min-w-0 truncate">{operationId}</span>
            </Link>
          </li>
        ))}
      </Section>
    ),
  )

export const ContentsNav = ({ label }: { label: string }) => {
  const [search, setSearch] = useState('')
  const path = useLocation({ select: ({ pathname }) => pathname })
  const { data, error, refetch } = useApiDescription()
  return (
    <nav aria-label={label} className="pb-6">
      <div className="px-2 pt-3">
        <SearchField
          label="Search guides and operations"
          placeholder="Search…"
          value={search}
          onChange={setSearch}
          className="block"
        />
      </div>
      <Guides search={search} path={path} />
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {data && <Operations operations={data.operations} search={search} path={path} />}
    </nav>
  )
}
