import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { Form } from '../../components/form.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Secret } from '../../components/secret.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useChangeWebhook, useRotateSecret, type Webhook } from '../../data/webhooks.ts'
import { shortUrl } from './address.ts'

export const SigningSecret = ({ webhook }: { webhook: Webhook }) => {
  const isSigned = webhook.secret !== undefined
  const rotate = useRotateSecret(webhook.id)
  const change = useChangeWebhook(webhook.id)
  const name = shortUrl(webhook.url)
  return (
    <Panel
      title="Signing secret"
      aside={isSigned ? <Tag tone="good">Signed</Tag> : <Tag tone="warn">Not signed</Tag>}
    >
      <div className="flex flex-col gap-3 p-3.5">
        {rotate.data && (
          <>
            <Secret label="New secret" text={rotate.data.secret} />
            <Button className="self-start" size="small" onClick={() => rotate.reset()}>
              I have copied it
            </Button>
          </>
        )}
        <p className="text-muted-foreground">
          {isSigned
            ? 'Deliveries are signed, so the receiver can verify them.'
            : 'Deliveries are not signed, so the receiver cannot verify them.'}
        </p>
        <div className="flex flex-wrap gap-2">
          <Confirm
            verb={isSigned ? 'Rotate' : 'Generate a secret'}
            title={isSigned ? `Rotate the secret of ${name}` : `Generate a secret for ${name}`}
            kind="plain"
            size="normal"
            keep="Cancel"
            onConfirm={() => rotate.mutateAsync(undefined)}
          >
            {isSigned ? (
              <>
                A new secret is generated and shown once. Both are valid for 24 hours:{' '}
                <code className="font-mono">webhook-signature</code> has a signature of each;{' '}
                <code className="font-mono">X-Svc-Signature</code> uses the new one immediately.
              </>
            ) : (
              'A secret is generated and shown once. All later deliveries are signed.'
            )}
          </Confirm>
          {isSigned && (
            <Confirm
              verb="Stop signing"
              title={`Stop signing for ${name}`}
              size="normal"
              keep="Cancel"
              onConfirm={() => change.mutateAsync({ secret: null })}
            >
              A receiver that verifies signatures rejects unsigned deliveries.
            </Confirm>
          )}
        </div>
        <OwnSecret id={webhook.id} isSigned={isSigned} />
      </div>
    </Panel>
  )
}

const OwnSecret = ({ id, isSigned }: { id: string; isSigned: boolean }) => {
  const { mutate, error, isPending } = useChangeWebhook(id)
  const [round, setRound] = useState(0)
  const save = (secret: string) =>
    mutate(
      { secret },
      {
        onSuccess: () => {
          setRound(round + 1)
          toast.done('Secret set', 'It is used from the next delivery on.')
        },
      },
    )
  return (
    <Form key={round} label="Own secret" error={error} onSend={({ secret = '' }) => save(secret)}>
      <div className="flex items-start gap-2">
        <TextField
          label="Own secret"
          name="secret"
          type="password"
          autoComplete="off"
          required
          error={fieldErrors(error).secret}
          hint={`At least 8 characters.${isSigned ? ' The old one stops signing immediately; Rotate keeps both for a day.' : ''}`}
        />
        <Button type="submit" className="mt-5.5" disabled={isPending}>
          Set
        </Button>
      </div>
      <Refusal error={error} fields={['secret']} />
    </Form>
  )
}
