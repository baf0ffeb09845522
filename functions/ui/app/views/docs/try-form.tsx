import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { AreaField, TextField } from '../../components/field.tsx'
import { LongText } from '../../components/long-text.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Tag } from '../../components/tag.tsx'
import type { Described, Parameter } from '../../data/api-description.ts'
import { isSignedOut } from '../../data/query-client.ts'
import { type Answer, useTryCall } from '../../data/try-call.ts'
import type { Call } from './snippets.ts'
import { callUrl } from './snippets.ts'

const pretty = ({ text, type }: Answer): string => {
  if (!type.includes('json')) return text
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const AnswerView = ({ answer }: { answer: Answer }) => (
  <div className="flex flex-col gap-2">
    <p className="flex flex-wrap items-center gap-2" role="status">
      <Tag tone={answer.status < 400 ? 'good' : 'bad'}>{answer.status}</Tag>
      <span className="font-mono text-xs text-muted-foreground [overflow-wrap:anywhere]">
        {answer.requestId}
      </span>
      {!answer.isWhole && <span className="text-muted-foreground">more may follow</span>}
    </p>
    {answer.text !== '' && <LongText label="The answer" text={pretty(answer)} />}
  </div>
)

/** Values by `place name` of the parameter. */
export type Draft = { values: Readonly<Record<string, string>>; body: string | undefined }

type Props = { operation: Described; call: Call; draft: Draft; onChange: (draft: Draft) => void }

type InputsProps = Pick<Props, 'draft' | 'onChange'> & { parameters: readonly Parameter[] }

const Inputs = ({ parameters, draft, onChange }: InputsProps) => {
  if (parameters.length === 0) return null
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {parameters.map(({ in: place, name, required = false, example }) => (
        <TextField
          key={`${place} ${name}`}
          label={required ? `${name} (required)` : name}
          required={required}
          placeholder={example === undefined ? '' : String(example)}
          value={draft.values[`${place} ${name}`] ?? ''}
          onChange={({ target }) =>
            onChange({ ...draft, values: { ...draft.values, [`${place} ${name}`]: target.value } })
          }
          className="font-mono text-xs"
        />
      ))}
    </div>
  )
}

/** Sends a request with the session of the page. */
export const TryForm = ({ operation, call, draft, onChange }: Props) => {
  const { answer, error, isRunning, send, stop } = useTryCall()
  const isStranger = isSignedOut.use()
  const { method, parameters = [], security } = operation
  const submit = () =>
    void send({
      method,
      url: callUrl(call),
      headers: {
        ...call.headers,
        accept: 'application/json, */*;q=0.5',
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(call.body === undefined ? {} : { body: call.body }),
    })
  return (
    <form
      className="flex flex-col gap-3 p-3.5"
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      {isStranger && security.length > 0 && (
        <p role="note">
          <Link to="/login" search={{ from: location.pathname }} className="underline underline-offset-2">
            Sign in
          </Link>{' '}
          first: this operation needs a session.
        </p>
      )}
      <Inputs
        parameters={parameters.filter((each) => each.in !== 'header')}
        draft={draft}
        onChange={onChange}
      />
      {draft.body !== undefined && (
        <AreaField
          label="Body"
          rows={Math.min(16, draft.body.split('\n').length + 1)}
          spellCheck={false}
          value={draft.body}
          onChange={({ target }) => onChange({ ...draft, body: target.value })}
          className="font-mono text-xs leading-5"
        />
      )}
      <Inputs
        parameters={parameters.filter((each) => each.in === 'header')}
        draft={draft}
        onChange={onChange}
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button type="submit" kind={method === 'DELETE' ? 'danger' : 'primary'} disabled={isRunning}>
          Send {method}
        </Button>
        {isRunning && <Button onClick={stop}>Stop</Button>}
        {method !== 'GET' && <span className="text-muted-foreground">This changes data.</span>}
      </div>
      {error ? (
        <p role="alert" className="text-destructive">
          {errorMessage(error)}
        </p>
      ) : null}
      {answer && <AnswerView answer={answer} />}
    </form>
  )
}
