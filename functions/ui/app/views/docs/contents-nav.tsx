import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Marked } from '../../components/marked.tsx'
import { Problem } from '../../components/problem.tsx'
import { SearchField } from '../../components/search-field.tsx'
import { type Described, useApiDescription } from '../../data/api-description.ts'
import { foundInDocs } from '../../data/docs-search.ts'
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

const Guides = ({ path }: { path: string }) =>
  Object.entries(groups).map(([group, label]) => (
    <Section
      key={group}
      title={label}
      isOpen={path.startsWith(`/docs/${group}/`) || (path === '/docs' && group === 'guide')}
    >
      {guides
        .filter((guide) => guide.group === group)
        .map(({ page, title }) => (
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
  ))

const MOST_FOUND = 30

/** Sections of the guides that have the words. */
const Found = ({ search }: { search: string }) => {
  const { data, error, refetch } = useQuery(foundInDocs(search, MOST_FOUND))
  if (error) return <Problem error={error} onRetry={() => void refetch()} />
  if (!data) return null
  if (data.length === 0) return <p className="px-2 pt-3 text-muted-foreground">No guide has these words.</p>
  return (
    <ul aria-label="Found in the guides" className="flex flex-col gap-px pt-2">
      {data.map(({ group, page, title, heading, anchor, part }) => (
        <li key={`${group}/${page}#${anchor}`}>
          <Link
            to="/docs/$group/$page"
            params={{ group, page }}
            {...(anchor === undefined ? {} : { hash: anchor })}
            className="flex flex-col rounded-md px-2 py-1 hover:bg-accent"
          >
            <span className="font-medium [overflow-wrap:anywhere]">
              <Marked text={heading ?? title} words={search} />
            </span>
            {heading !== undefined && <span className="text-xs text-muted-foreground">{title}</span>}
            {part !== '' && (
              <span className="line-clamp-2 text-xs text-muted-foreground [overflow-wrap:anywhere]">
                <Marked text={part} words={search} />
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}

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
      {search === '' ? <Guides path={path} /> : <Found search={search} />}
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {data && <Operations operations={data.operations} search={search} path={path} />}
    </nav>
  )
}
