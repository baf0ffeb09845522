import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/check-field.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Problem } from '../../components/problem.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Scroller } from '../../components/scroller.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useMe } from '../../data/me.ts'
import { type Policy, useChangePolicy, usePolicy } from '../../data/security.ts'
import { DefaultModes } from './default-modes.tsx'
import { ModeTable } from './mode-table.tsx'
import { ToolChoices } from './tool-choices.tsx'
import { changeLines, fields } from './words.ts'

/** Admins edit it, other users read it. */
export const PolicyView = (): ReactNode => {
  const { data, error, refetch } = usePolicy()
  const me = useMe()
  return (
    <Scroller label="What tools may do" className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
      <div className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        {error && !data && <Problem error={error} onRetry={() => void refetch()} />}
        {(!data || !me) && !error && <SkeletonRows count={12} />}
        {data && me?.role === 'admin' && (
          <DefaultModes chat={data.policy.defaultMode} tasks={data.taskMode} />
        )}
        {data && me && <PolicyForm policy={data.policy} isAdmin={me.role === 'admin'} />}
        {data && <ModeTable chat={data.policy.defaultMode} tasks={data.taskMode} />}
      </div>
    </Scroller>
  )
}

/** An invalid limit is sent as typed: the service validates. */
type Draft = { -readonly [Name in keyof Policy]?: Policy[Name] }

const isSame = (one: unknown, other: unknown) =>
  Array.isArray(one) && Array.isArray(other)
    ? one.length === other.length && one.every((name) => other.includes(name))
    : one === other

const PolicyForm = ({ policy, isAdmin }: { policy: Policy; isAdmin: boolean }) => {
  const [drafts, setDrafts] = useState<Draft>({})
  const [rate, setRate] = useState<string>()
  const { mutate, error, isPending, reset } = useChangePolicy()
  const wrong = fieldErrors(error)
  const now = { ...policy, ...drafts }
  const change = changedIn(policy, drafts, rate)
  const lines = changeLines(policy, change)
  const write = (draft: Draft) => setDrafts({ ...drafts, ...draft })
  const forget = () => {
    setDrafts({})
    setRate(undefined)
    reset()
  }
  const save = () =>
    mutate(change, {
      onSuccess: () => {
        forget()
        toast.done('Policy saved', lines.join(' · '))
      },
    })
  return (
    <Form
      label="Policy"
      error={error}
      onSend={() => lines.length > 0 && save()}
      className="flex flex-col gap-4"
    >
      {!isAdmin && (
        <p role="note" className="rounded-md border bg-muted/60 px-3 py-2 text-muted-foreground">
          Only admins can change the policy. It applies to your conversations and tasks.
        </p>
      )}
      <Panel title="Limits and records">
        <div className="grid gap-x-4 gap-y-3 p-3.5 sm:grid-cols-2">
          <TextField
            label={fields.toolRateLimitPerMinute}
            hint="Includes calls that wait for approval. 1 to 10,000."
            inputMode="numeric"
            autoComplete="off"
            value={rate ?? String(policy.toolRateLimitPerMinute)}
            error={wrong.toolRateLimitPerMinute}
            disabled={!isAdmin}
            onChange={({ target }) => setRate(target.value)}
          />
          <CheckField
            label={fields.auditAll}
            hint="If off, allowed reads are not recorded."
            isChecked={now.auditAll}
            disabled={!isAdmin}
            onChange={() => write({ auditAll: !now.auditAll })}
            className="sm:col-span-2"
          />
        </div>
      </Panel>
      <Panel title="Tools">
        <ToolChoices lists={now} isDisabled={!isAdmin} onChange={write} />
      </Panel>
      <Refusal error={error} fields={['toolRateLimitPerMinute']} />
      {isAdmin && lines.length > 0 && (
        <div className="sticky bottom-0 flex flex-wrap items-center gap-2 border-t bg-background py-3">
          <Button kind="primary" type="submit" disabled={isPending}>
            Save {lines.length} {lines.length === 1 ? 'change' : 'changes'}
          </Button>
          <Button kind="ghost" onClick={forget}>
            Discard
          </Button>
          <ul aria-label="Changes" className="flex min-w-0 flex-wrap gap-x-3 text-muted-foreground">
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </div>
      )}
    </Form>
  )
}

/** Only what changed, since another admin may be editing the rest. */
const changedIn = (policy: Policy, drafts: Draft, rate: string | undefined): Draft => {
  const typed = rate === undefined ? {} : { toolRateLimitPerMinute: numberIn(rate) }
  const given = Object.entries({ ...drafts, ...typed }) as [keyof Policy, never][]
  return Object.fromEntries(given.filter(([name, value]) => !isSame(policy[name], value)))
}

const numberIn = (text: string): number => {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isNaN(number) ? (text as unknown as number) : number
}
