import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/check-field.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { fieldErrors, groupedErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { NotYet } from '../../components/not-yet.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useChangeWebSearch, useWebSearch, type WebSearchAnswer } from '../../data/integrations.ts'
import { accessIn, type WebSearchDraft, webSearchChange } from './web-search-change.ts'

export const WebSearch = ({ isAdmin }: { isAdmin: boolean }) => {
  const query = useWebSearch()
  const { data } = query
  return (
    <Panel
      title="Web search"
      aside={data && <Tag tone={data.status.available ? 'good' : 'warn'}>{statusLabel(data)}</Tag>}
    >
      {data ? (
        <SearchForm answer={data} isAdmin={isAdmin} />
      ) : (
        <NotYet query={query}>
          <SkeletonRows count={4} />
        </NotYet>
      )}
    </Panel>
  )
}

const statusLabel = ({ status: { available, reason } }: WebSearchAnswer) => (available ? 'Available' : reason)

const SearchForm = ({ answer, isAdmin }: { answer: WebSearchAnswer; isAdmin: boolean }) => {
  const { config, providers } = answer
  const [draft, setDraft] = useState<WebSearchDraft>({})
  const { mutate, error, isPending, reset } = useChangeWebSearch()
  const write = (more: WebSearchDraft) => setDraft({ ...draft, ...more })
  const provider = draft.provider ?? config.provider
  const stored = accessIn(config, provider)
  const chosen = providers.find(({ id }) => id === provider)
  const wrong = groupedErrors(error)
  const change = webSearchChange(config, draft)
  const hasChange = Object.keys(change).length > 0
  const forget = () => {
    setDraft({})
    reset()
  }
  const save = () =>
    mutate(change, {
      onSuccess: ({ status }) => {
        forget()
        toast.done('Web search saved', status.reason ?? 'Agents can search the web.')
      },
    })
  return (
    <Form
      label="Web search"
      error={error}
      onSend={() => hasChange && save()}
      className="flex flex-col gap-3 p-3.5"
    >
      {!isAdmin && (
        <p role="note" className="rounded-md border bg-muted/60 px-3 py-2 text-muted-foreground">
          Only admins can change this. It applies to all users.
        </p>
      )}
      <CheckField
        label="Agents may search the web"
        hint="In conversations, if the tool policy permits it."
        isChecked={draft.enabled ?? config.enabled}
        disabled={!isAdmin}
        onChange={() => write({ enabled: !(draft.enabled ?? config.enabled) })}
      />
      <div className="flex flex-col gap-1">
        <SelectField
          label="Search provider"
          value={provider}
          error={fieldErrors(error).provider}
          disabled={!isAdmin}
          // The typed key belongs to the previous provider.
          onChange={({ target }) =>
            setDraft({
              ...(draft.enabled === undefined ? {} : { enabled: draft.enabled }),
              provider: target.value as typeof provider,
            })
          }
        >
          {providers.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        <p className="text-xs text-muted-foreground">{chosen && `${chosen.description}.`}</p>
      </div>
      {chosen?.configFields.includes('baseUrl') && (
        <TextField
          label="Base URL"
          type="url"
          autoComplete="off"
          placeholder="https://search.example.com"
          hint="Private hosts must be listed in OUTBOUND_ALLOW_HOSTS."
          value={draft.baseUrl ?? stored.baseUrl ?? ''}
          error={wrong[`${provider}.baseUrl`]}
          disabled={!isAdmin}
          onChange={({ target }) => write({ baseUrl: target.value })}
        />
      )}
      {chosen?.configFields.includes('apiKey') && (
        <KeyField
          draft={draft}
          write={write}
          isAdmin={isAdmin}
          stored={stored.apiKey}
          error={wrong[`${provider}.apiKey`]}
        />
      )}
      <Refusal error={error} fields={[provider, 'provider']} />
      {isAdmin && (
        <div className="flex flex-wrap items-center gap-2">
          <Button kind="primary" type="submit" disabled={isPending || !hasChange}>
            Save
          </Button>
          {hasChange && (
            <Button kind="ghost" onClick={forget}>
              Discard
            </Button>
          )}
          <p className="min-w-0 text-xs text-muted-foreground">
            The key is not checked here. To test it, ask the agent in Chat to search the web.
          </p>
        </div>
      )}
    </Form>
  )
}

type KeyProps = {
  draft: WebSearchDraft
  write: (more: WebSearchDraft) => void
  stored: string | undefined
  error: string | undefined
  isAdmin: boolean
}

/** The stored key is masked; a new one replaces it. */
const KeyField = ({ draft, write, stored, error, isAdmin }: KeyProps) => (
  <>
    <TextField
      label="API key"
      autoComplete="off"
      spellCheck={false}
      placeholder={stored ?? 'Not set'}
      hint={stored ? `${stored} is stored. A new key replaces it.` : undefined}
      value={draft.apiKey ?? ''}
      error={error}
      disabled={!isAdmin || draft.isKeyRemoved}
      onChange={({ target }) => write({ apiKey: target.value })}
    />
    {stored && isAdmin && (
      <CheckField
        label="Remove the stored key"
        isChecked={draft.isKeyRemoved ?? false}
        onChange={() => write({ isKeyRemoved: !draft.isKeyRemoved, apiKey: '' })}
      />
    )}
  </>
)
