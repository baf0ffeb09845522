import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { LongText } from '../../components/long-text.tsx'
import { Problem } from '../../components/problem.tsx'
import { Tag } from '../../components/tag.tsx'
import { Panel } from '../../components/view.tsx'
import { type ApiDescription, type Described, useApiDescription } from '../../data/api-description.ts'
import { useNeedsSignIn } from '../../data/session.ts'
import { CodeTabs } from './code-tabs.tsx'
import { ParameterFields, SchemaFields, withCode } from './fields.tsx'
import { Method } from './method.tsx'
import { Page } from './page.tsx'
import type { Call } from './snippets.ts'
import { type Draft, TryForm } from './try-form.tsx'

const pretty = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

const jsonBody = ({ requestBody }: Described) => requestBody?.content['application/json']

const isSuccess = (status: string) => /^[23]/.test(status)

const isStream = ({ responses }: Described) =>
  Object.values(responses).some(
    ({ content = {} }) => 'text/event-stream' in content && !('application/json' in content),
  )

/** Initial values of the form. */
const exampleDraft = (operation: Described): Draft => ({
  values: Object.fromEntries(
    (operation.parameters ?? []).map(({ in: place, name, required, example = '' }) => [
      `${place} ${name}`,
      required ? String(example) : '',
    ]),
  ),
  body: jsonBody(operation) && pretty(jsonBody(operation)?.example ?? {}),
})

const given = ({ values }: Draft, place: string) =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([key, value]) => key.startsWith(`${place} `) && value !== '')
      .map(([key, value]) => [key.slice(place.length + 1), value]),
  )

const draftCall = (operation: Described, draft: Draft, needsSignIn: boolean): Call => ({
  operationId: operation.operationId,
  method: operation.method,
  path: operation.path,
  params: given(draft, 'path'),
  query: given(draft, 'query'),
  headers: given(draft, 'header'),
  ...(draft.body === undefined ? {} : { body: draft.body }),
  isStream: isStream(operation),
  needsSession: needsSignIn && operation.security.length > 0,
})

const AccessNote = ({ security }: Described) => (
  <Tag>
    {security.length === 0 ? 'public' : security.length === 2 ? 'session required' : 'session optional'}
  </Tag>
)

const Answers = ({ operation, api }: { operation: Described; api: ApiDescription }) =>
  Object.entries(operation.responses)
    .filter(([status]) => isSuccess(status))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([mediaType, { schema, example }]) => (
        <Panel key={`${status} ${mediaType}`} title={`${status} ${mediaType}`}>
          <div className="flex flex-col gap-2 p-3.5">
            <SchemaFields schema={schema} schemas={api.schemas} />
            {example !== undefined && example !== '' && (
              <LongText label={`Example of ${status} ${mediaType}`} text={pretty(example)} />
            )}
          </div>
        </Panel>
      )),
    )

const Errors = ({ responses }: Described) => (
  <Panel title="Errors">
    <ul className="px-3.5 py-2">
      {Object.entries(responses)
        .filter(([status]) => !isSuccess(status))
        .map(([status, { description }]) => (
          <li key={status} className="flex gap-3 py-0.5">
            <span className="w-14 shrink-0 font-mono text-xs leading-5">{status}</span>
            <span className="text-muted-foreground">{description}</span>
          </li>
        ))}
    </ul>
    <p className="border-t px-3.5 py-2 text-muted-foreground">
      Each has a <code className="font-mono text-xs">code</code>:{' '}
      <Link
        to="/docs/$group/$page"
        params={{ group: 'reference', page: 'errors' }}
        className="underline underline-offset-2"
      >
        all codes and what to do
      </Link>
      .
    </p>
  </Panel>
)

const OperationPage = ({ operation, api }: { operation: Described; api: ApiDescription }) => {
  const { code = 'curl' } = useSearch({ from: '/docs/api/$operation' })
  const [draft, setDraft] = useState(() => exampleDraft(operation))
  const needsSignIn = useNeedsSignIn() ?? false
  const call = draftCall(operation, draft, needsSignIn)
  const { parameters = [], description, summary, method, path } = operation
  const body = jsonBody(operation)
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <Method method={method} />
        <code className="font-mono [overflow-wrap:anywhere]">{path}</code>
        <AccessNote {...operation} />
      </p>
      <p className="leading-6">
        {summary}. {withCode(description ?? '')}
      </p>
      <Panel title="Request">
        <CodeTabs call={call} language={code} />
      </Panel>
      <Panel title="Try it">
        <TryForm operation={operation} call={call} draft={draft} onChange={setDraft} />
      </Panel>
      {parameters.length > 0 && (
        <Panel title="Parameters">
          <div className="px-3.5 py-1">
            <ParameterFields parameters={parameters} />
          </div>
        </Panel>
      )}
      {body && (
        <Panel title="Body">
          <div className="px-3.5 py-1">
            <SchemaFields schema={body.schema} schemas={api.schemas} />
          </div>
        </Panel>
      )}
      <Answers operation={operation} api={api} />
      <Errors {...operation} />
    </div>
  )
}

export const OperationView = () => {
  const { operation: name } = useParams({ from: '/docs/api/$operation' })
  const { data, error, refetch } = useApiDescription()
  const operation = data?.operations.find(({ operationId }) => operationId === name)
  return (
    <Page title={data && !operation ? 'This operation does not exist' : name}>
      {error ? <Problem error={error} onRetry={() => void refetch()} /> : null}
      {data && operation && <OperationPage key={name} operation={operation} api={data} />}
    </Page>
  )
}
