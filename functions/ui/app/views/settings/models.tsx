import { useSearch } from '@tanstack/react-router'
import { CircleCheck, CircleX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { AdminsOnly } from '../../components/admins-only.tsx'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { errorMessage } from '../../components/problem.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useModelProviders } from '../../data/chat.ts'
import {
  type ModelKey,
  useCheckModelKey,
  useModelKeys,
  useRemoveModelKey,
  useSetModelKey,
} from '../../data/model-keys.ts'

/** The keys of model providers. The environment takes precedence over stored ones. */
export const Models = (): ReactNode => (
  <AdminsOnly what="Model keys are">
    <Loaded />
  </AdminsOnly>
)

const Loaded = () => {
  const query = useModelKeys()
  const { data: models } = useModelProviders()
  const { data: keys } = query
  if (!keys)
    return (
      <NotYet query={query}>
        <SkeletonRows count={4} />
      </NotYet>
    )
  const isDemo = models?.default === 'demo'
  const inUse = keys.filter(({ source }) => source !== 'none')
  return (
    <>
      <Panel
        title="Model keys"
        aside={<span className="text-muted-foreground">{countText(inUse.length)}</span>}
      >
        <p className="px-3.5 pt-3 text-muted-foreground">
          Chat, the coding agent and installed agents such as Claude Code use these keys. Agents never see
          them. Runners use keys from their own environment.
        </p>
        {inUse.length > 0 ? (
          <ul className="flex flex-col divide-y">
            {inUse.map((one) => (
              <KeyRow key={one.provider} modelKey={one} />
            ))}
          </ul>
        ) : (
          <p className="px-3.5 py-3">
            No model keys yet.
            {isDemo && ' Until you add one, a scripted demo model answers. It is not an AI.'}
          </p>
        )}
      </Panel>
      <AddKey keys={keys.filter(({ source }) => source !== 'environment')} />
    </>
  )
}

const countText = (count: number) => (count === 0 ? 'None' : `${count} in use`)

const sourceTag = ({ source, unreadable }: ModelKey) => {
  if (unreadable) return <Tag tone="bad">Cannot be read</Tag>
  return source === 'environment' ? <Tag>Environment</Tag> : <Tag tone="good">Stored</Tag>
}

const sourceText = ({ source, unreadable, variable, masked }: ModelKey) => {
  if (unreadable) return 'It cannot be decrypted. Paste it again, or remove it.'
  return source === 'environment' ? `Set by ${variable} in the environment of the service.` : masked
}

const KeyRow = ({ modelKey }: { modelKey: ModelKey }) => {
  const { provider, name, source, unreadable } = modelKey
  const remove = useRemoveModelKey()
  const check = useCheckModelKey()
  return (
    <li className="flex flex-col gap-2 px-3.5 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1">
          <h3 className="flex items-center gap-2 font-medium">
            {name} {sourceTag(modelKey)}
          </h3>
          <p className="text-xs text-muted-foreground [overflow-wrap:anywhere]">{sourceText(modelKey)}</p>
        </div>
        <div className="flex gap-2">
          {!unreadable && (
            <Button
              size="small"
              needsService
              aria-label={`Check key: ${name}`}
              disabled={check.isPending}
              onClick={() => check.mutate({ provider })}
            >
              Check key
            </Button>
          )}
          {source === 'stored' && (
            <Confirm
              verb="Remove"
              title={`Remove the key of ${name}`}
              onConfirm={() => remove.mutateAsync(provider)}
            >
              New tasks and conversations can no longer use {name}.
            </Confirm>
          )}
        </div>
      </div>
      <CheckOutcome check={check} />
    </li>
  )
}

const CheckOutcome = ({
  check: { data, error, isPending },
}: {
  check: ReturnType<typeof useCheckModelKey>
}) => {
  if (isPending) return <p role="status">Checking…</p>
  // A key that does not fit is named at its field.
  if (error && Object.keys(fieldErrors(error)).length === 0)
    return (
      <p role="alert" className="text-destructive">
        {errorMessage(error)}
      </p>
    )
  if (!data) return null
  const Icon = data.accepted ? CircleCheck : CircleX
  return (
    <p
      role={data.accepted ? 'status' : 'alert'}
      className={`flex items-start gap-1.5 ${data.accepted ? 'text-completed' : 'text-destructive'}`}
    >
      <Icon size={15} className="mt-0.5 shrink-0" />
      <span className="min-w-0 [overflow-wrap:anywhere]">{data.message}</span>
    </p>
  )
}

/** A key that is typed for a provider replaces the stored one. */
const AddKey = ({ keys }: { keys: readonly ModelKey[] }) => {
  const { provider: asked } = useSearch({ from: '/settings/forms/models' })
  const [provider, setProvider] = useState(asked)
  const [apiKey, setApiKey] = useState('')
  const { mutate, error, isPending, reset } = useSetModelKey()
  const check = useCheckModelKey()
  const chosen =
    keys.find((one) => one.provider === provider) ?? keys.find(({ source }) => source === 'none') ?? keys[0]
  if (!chosen) return null
  const wrong = fieldErrors(error ?? check.error).apiKey
  const type = (text: string) => {
    setApiKey(text)
    reset()
    check.reset()
  }
  const save = () =>
    mutate(
      { provider: chosen.provider, apiKey: apiKey.trim() },
      {
        onSuccess: () => {
          type('')
          setProvider(undefined)
          toast.done(`${chosen.name} key saved`, 'It works immediately, without a restart.')
        },
      },
    )
  return (
    <Panel title="Add a key">
      <Form label="Model key" error={error} onSend={save} className="flex flex-col gap-3 p-3.5">
        <div className="grid gap-3 sm:grid-cols-[12rem_1fr]">
          <SelectField
            label="Provider"
            value={chosen.provider}
            onChange={({ target }) => {
              setProvider(target.value)
              type('')
            }}
          >
            {keys.map(({ provider: one, name, source }) => (
              <option key={one} value={one}>
                {source === 'stored' ? `${name} (replace)` : name}
              </option>
            ))}
          </SelectField>
          <TextField
            label="API key"
            name="apiKey"
            type="password"
            autoComplete="off"
            spellCheck={false}
            autoFocus={asked !== undefined}
            placeholder="Paste the key"
            value={apiKey}
            error={wrong}
            onChange={({ target }) => type(target.value)}
          />
        </div>
        <CheckOutcome check={check} />
        <Refusal error={error} fields={['apiKey']} />
        <div className="flex flex-wrap items-center gap-2">
          <Button kind="primary" type="submit" disabled={isPending || apiKey.trim() === ''}>
            Save key
          </Button>
          <Button
            needsService
            disabled={check.isPending || apiKey.trim() === ''}
            onClick={() => check.mutate({ provider: chosen.provider, apiKey: apiKey.trim() })}
          >
            Check key
          </Button>
          <p className="min-w-0 text-xs text-muted-foreground">
            The key is stored encrypted and not shown again. If {chosen.variable} is set in the environment,
            it is used instead.
          </p>
        </div>
      </Form>
    </Panel>
  )
}
