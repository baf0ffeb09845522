import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button, buttonClass } from '../../components/button.tsx'
import { Facts } from '../../components/facts.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form, type Texts } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Secret } from '../../components/secret.tsx'
import { Panel, View } from '../../components/view.tsx'
import { type NewWebhook as Body, useCreateWebhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { EventsField, eventsIn } from './events-field.tsx'

const FIELDS = ['url', 'events', 'secret']

const secrets = {
  made: { label: 'Generate a secret', hint: 'shown once' },
  own: { label: 'Use my own secret', hint: 'at least 8 characters' },
  none: { label: 'No secret', hint: 'deliveries are not signed, so the receiver cannot verify them' },
} as const
type SecretChoice = keyof typeof secrets

const webhookBody = (texts: Texts): Body => ({
  url: (texts.url ?? '').trim(),
  events: eventsIn(texts),
  ...(texts.choice === 'made' ? { generateSecret: true } : {}),
  ...(texts.choice === 'own' ? { secret: texts.secret ?? '' } : {}),
})

/** The response holds the only copy of the secret. */
export const NewWebhook = (): ReactNode => {
  const { mutate, data, error, isPending } = useCreateWebhook()
  return (
    <View title="New webhook">
      <div className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        <Panel title={data ? shortUrl(data.webhook.url) : 'New webhook'}>
          {data ? (
            <CreatedWebhook id={data.webhook.id} secret={data.secret} />
          ) : (
            <NewForm error={error} isBusy={isPending} onSend={(texts) => mutate(webhookBody(texts))} />
          )}
        </Panel>
      </div>
    </View>
  )
}

const CreatedWebhook = ({ id, secret }: { id: string; secret: string | undefined }) => (
  <div className="flex flex-col items-start gap-3 p-3.5">
    <p role="status">Webhook created. It receives events from now on.</p>
    {secret !== undefined && (
      <div className="w-full">
        <Secret label="Signing secret" text={secret} />
      </div>
    )}
    <Link to="/settings/webhooks/$id" params={{ id }} className={buttonClass({ kind: 'primary' })}>
      {secret === undefined ? 'Open the webhook' : 'I have copied it: open the webhook'}
    </Link>
  </div>
)

type FormProps = { error: unknown; isBusy: boolean; onSend: (texts: Texts) => void }

const NewForm = ({ error, isBusy, onSend }: FormProps) => {
  const [choice, setChoice] = useState<SecretChoice>('made')
  const wrong = fieldErrors(error)
  return (
    <Form label="New webhook" error={error} onSend={onSend} className="flex flex-col gap-4 p-3.5">
      <TextField
        label="URL"
        name="url"
        type="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://example.com/hooks/agents"
        required
        error={wrong.url}
        hint="Receives POST requests with JSON and must respond 2xx within 15 seconds."
      />
      <EventsField chosen={['task.completed', 'task.failed']} error={wrong.events} />
      <fieldset className="flex flex-col gap-1.5">
        <legend className="pb-1 font-medium">Signing secret</legend>
        {(Object.keys(secrets) as SecretChoice[]).map((name) => (
          <label key={name} className="flex items-start gap-2">
            <input
              type="radio"
              name="choice"
              value={name}
              checked={choice === name}
              onChange={() => setChoice(name)}
              className="mt-0.5 size-3.5 shrink-0"
            />
            <Facts
              facts={[
                secrets[name].label,
                <span key="hint" className="text-muted-foreground">
                  {secrets[name].hint}
                </span>,
              ]}
            />
          </label>
        ))}
      </fieldset>
      {choice === 'own' && (
        <TextField
          label="Secret"
          name="secret"
          type="password"
          autoComplete="off"
          required
          error={wrong.secret}
          hint="Its bytes are used as the key."
        />
      )}
      <Refusal error={error} fields={FIELDS} />
      <div className="flex gap-2">
        <Button kind="primary" type="submit" disabled={isBusy}>
          Create webhook
        </Button>
        <Link to="/settings/webhooks" className={buttonClass({ kind: 'ghost' })}>
          Cancel
        </Link>
      </div>
    </Form>
  )
}
