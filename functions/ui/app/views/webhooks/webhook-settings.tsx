import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Person } from '../../components/person.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import { useChangeWebhook, useDeleteWebhook, useWebhook, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'
import { EventsField, eventsIn } from './events-field.tsx'
import { SigningSecret } from './signing-secret.tsx'

export const WebhookSettings = (): ReactNode => {
  const { id } = useParams({ from: '/settings/webhooks/$id' })
  const { data } = useWebhook(id)
  if (!data) return null
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="flex w-full max-w-3xl flex-col gap-4 p-4 md:p-6">
        <Edit webhook={data} />
        <SigningSecret webhook={data} />
        <Delete webhook={data} />
      </div>
    </div>
  )
}

const Edit = ({ webhook }: { webhook: Webhook }) => {
  const { mutate, error, isPending } = useChangeWebhook(webhook.id)
  const [round, setRound] = useState(0)
  const wrong = fieldErrors(error)
  return (
    <Panel title="URL and events">
      <Form
        key={round}
        label="Webhook"
        error={error}
        onSend={(texts) =>
          mutate(
            { url: (texts.url ?? '').trim(), events: eventsIn(texts) },
            {
              onSuccess: () => {
                setRound(round + 1)
                toast.done('Webhook saved', 'It applies from the next delivery on.')
              },
            },
          )
        }
        className="flex flex-col gap-4 p-3.5"
      >
        <TextField
          label="URL"
          name="url"
          type="url"
          autoComplete="off"
          spellCheck={false}
          required
          defaultValue={webhook.url}
          error={wrong.url}
          hint="Waiting deliveries go to the new URL as well."
        />
        <EventsField chosen={webhook.events} error={wrong.events} />
        <Refusal error={error} fields={['url', 'events']} />
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
          <Button kind="primary" type="submit" disabled={isPending}>
            Save
          </Button>
          <span className="text-muted-foreground">
            created <When at={webhook.createdAt} /> by <Person id={webhook.createdBy} />, changed{' '}
            <When at={webhook.updatedAt} />
          </span>
        </div>
      </Form>
    </Panel>
  )
}

const Delete = ({ webhook }: { webhook: Webhook }) => {
  const { mutateAsync } = useDeleteWebhook(webhook.id)
  const navigate = useNavigate()
  const name = shortUrl(webhook.url)
  const remove = async () => {
    await mutateAsync()
    toast.done('Webhook deleted', name)
    await navigate({ to: '/settings/webhooks' })
  }
  return (
    <Panel title="Delete">
      <div className="flex flex-wrap items-center justify-between gap-3 p-3.5">
        <p className="text-muted-foreground">It receives no more events, and its deliveries are deleted.</p>
        <Confirm verb="Delete" title={`Delete ${name}`} size="normal" onConfirm={remove}>
          Waiting deliveries are not sent. To stop it temporarily, pause it.
        </Confirm>
      </div>
    </Panel>
  )
}
