import { Link } from '@tanstack/react-router'
import { useNarrow } from '../../components/narrow.ts'
import { useApiDescription } from '../../data/api-description.ts'
import { byTag, ContentsNav } from './contents-nav.tsx'
import { Method } from './method.tsx'
import { Page } from './page.tsx'

const linkClass = 'underline underline-offset-2'

const Reference = () => {
  const { data } = useApiDescription()
  return byTag(data?.operations ?? []).map(([tag, operations]) => (
    <div key={tag} className="mt-6">
      <h2 className="mb-1 text-base font-semibold">{tag}</h2>
      <ul>
        {operations.map(({ operationId, method, path, summary }) => (
          <li key={operationId} className="border-t">
            <Link
              to="/docs/api/$operation"
              params={{ operation: operationId }}
              className="flex flex-col gap-0.5 py-2 hover:bg-accent"
            >
              <span className="flex items-baseline">
                <Method method={method} />
                <code className="font-mono text-xs [overflow-wrap:anywhere]">{path}</code>
              </span>
              <span className="text-muted-foreground">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  ))
}

export const ContentsView = () => (
  <Page title="Docs & API" isFirst>
    <div className="flex flex-col gap-2 leading-6">
      <p>
        Try every operation of this service here with your session, and copy the call for curl, the TypeScript
        client or the command line. The guides match this version.
      </p>
      <p>
        Begin with{' '}
        <Link to="/docs/$group/$page" params={{ group: 'guide', page: 'quickstart' }} className={linkClass}>
          Quickstart
        </Link>
        ,{' '}
        <Link to="/docs/$group/$page" params={{ group: 'guide', page: 'tasks' }} className={linkClass}>
          Tasks
        </Link>
        ,{' '}
        <Link to="/docs/$group/$page" params={{ group: 'guide', page: 'client' }} className={linkClass}>
          Clients and live events
        </Link>{' '}
        and{' '}
        <Link to="/docs/$group/$page" params={{ group: 'reference', page: 'cli' }} className={linkClass}>
          Commands
        </Link>
        ; errors are explained in{' '}
        <Link to="/docs/$group/$page" params={{ group: 'reference', page: 'errors' }} className={linkClass}>
          Errors
        </Link>
        . Client generators can use{' '}
        <a href="/api/openapi.json" className={linkClass}>
          /api/openapi.json
        </a>
        .
      </p>
    </div>
    {useNarrow() ? (
      <div className="mt-2 -ml-2">
        <ContentsNav label="All docs" />
      </div>
    ) : (
      <Reference />
    )}
  </Page>
)
