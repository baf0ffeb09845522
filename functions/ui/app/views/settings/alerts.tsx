import { BellRing, Mail } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/check-field.tsx'
import { Confirm } from '../../components/confirm.tsx'
import { Facts } from '../../components/facts.tsx'
import { errorMessage, Problem } from '../../components/problem.tsx'
import { Row, Rows } from '../../components/rows.tsx'
import { SkeletonRows } from '../../components/skeleton.tsx'
import { Tag } from '../../components/tag.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { When } from '../../components/when.tsx'
import {
  type AlertTopic,
  canPush,
  type EmailAlerts,
  ownId,
  type Subscribed,
  useAlerts,
  useEmailTopics,
  useSubscribe,
  useTestEmail,
  useTestMessage,
  useUnsubscribe,
} from '../../data/alerts.ts'
import { agentName } from './agent-name.ts'

const topicNames: Readonly<Record<AlertTopic, string>> = {
  approvals: 'Tool calls that need approval',
  results: 'Results of my tasks',
}
const topics = Object.keys(topicNames) as AlertTopic[]

/** The browsers that get messages while the page is closed. */
export const Alerts = (): ReactNode => {
  const { data, error, refetch } = useAlerts()
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows count={4} />
  const own = data.subscriptions.find(({ id }) => id === ownId())
  return (
    <>
      <Panel title="Notifications in this browser">
        <div className="flex flex-col gap-3 p-3.5">
          {canPush() ? <Choice publicKey={data.publicKey} own={own} /> : <NotHere />}
        </div>
      </Panel>
      {data.email && <ByEmail {...data.email} />}
      {data.subscriptions.length > 0 && (
        <Panel title="Browsers with notifications">
          <Rows label="Browsers with notifications">
            {data.subscriptions.map((one) => (
              <One key={one.id} one={one} isOwn={one === own} />
            ))}
          </Rows>
        </Panel>
      )}
    </>
  )
}

const NotHere = () => (
  <p className="text-muted-foreground">
    This browser does not support notifications from this address. Open the page over https. On an iPhone or
    iPad, add it to the home screen first.
  </p>
)

type TopicsProps = { chosen: readonly AlertTopic[]; onChange: (chosen: readonly AlertTopic[]) => void }

const Topics = ({ chosen, onChange }: TopicsProps) => (
  <div className="flex flex-col gap-1.5">
    {topics.map((topic) => (
      <CheckField
        key={topic}
        label={topicNames[topic]}
        isChecked={chosen.includes(topic)}
        onChange={() => onChange(topics.filter((one) => (one === topic) !== chosen.includes(one)))}
      />
    ))}
  </div>
)

const hasSame = (one: readonly AlertTopic[], other: readonly AlertTopic[]) =>
  one.length === other.length && one.every((topic) => other.includes(topic))

const ByEmail = ({ address, topics: told }: EmailAlerts) => {
  const [chosen, setChosen] = useState<readonly AlertTopic[]>(told.length > 0 ? told : topics)
  const { mutate, isPending } = useEmailTopics()
  const test = useTestEmail()
  const set = (next: readonly AlertTopic[], message: string) =>
    mutate(next, {
      onSuccess: () => void toast.done(message),
      onError: (error) => void toast.failed('Not saved', errorMessage(error)),
    })
  const send = () =>
    test.mutate(undefined, {
      onSuccess: ({ delivered }) =>
        void (delivered
          ? toast.done('Test message sent', `Check the inbox of ${address}.`)
          : toast.failed('Not sent', 'The mail server refused your address.')),
      onError: (error) => void toast.failed('Not sent', errorMessage(error)),
    })
  const isOn = told.length > 0
  return (
    <Panel title="Email" aside={isOn && <Tag tone="good">On</Tag>}>
      <div className="flex flex-col gap-3 p-3.5">
        {address === undefined ? (
          <p className="text-muted-foreground">
            Your account has no verified email address. To get email, sign in with a provider that verifies
            it.
          </p>
        ) : (
          <>
            <p className="text-muted-foreground">
              To <span className="text-foreground">{address}</span>, at most one message a minute.
            </p>
            <Topics chosen={chosen} onChange={setChosen} />
            <div className="flex flex-wrap gap-2">
              <Button
                kind="primary"
                needsService
                disabled={isPending || chosen.length === 0 || hasSame(chosen, told)}
                onClick={() => set(chosen, `Email goes to ${address}`)}
              >
                <Mail size={14} /> {isOn ? 'Save' : 'Turn on'}
              </Button>
              {isOn && (
                <Button needsService disabled={isPending} onClick={() => set([], 'Email turned off')}>
                  Turn off
                </Button>
              )}
              <Button kind="ghost" needsService disabled={test.isPending} onClick={send}>
                Send test
              </Button>
            </div>
          </>
        )}
      </div>
    </Panel>
  )
}

const Choice = ({ publicKey, own }: { publicKey: string; own: Subscribed | undefined }) => {
  const [chosen, setChosen] = useState<readonly AlertTopic[]>(own?.topics ?? topics)
  const { mutate, isPending } = useSubscribe()
  const turnOn = () =>
    mutate(
      { publicKey, device: agentName(navigator.userAgent), topics: chosen },
      {
        onSuccess: () => void toast.done('Notifications turned on'),
        onError: (error) => void toast.failed('Not turned on', errorMessage(error)),
      },
    )
  const isSame = hasSame(chosen, own?.topics ?? [])
  return (
    <>
      <p className="text-muted-foreground">
        You get notifications even when the page is closed. Short tool calls can be allowed or denied in the
        notification.
      </p>
      <Topics chosen={chosen} onChange={setChosen} />
      <div>
        <Button
          kind="primary"
          needsService
          disabled={isPending || chosen.length === 0 || isSame}
          onClick={turnOn}
        >
          <BellRing size={14} /> {own ? 'Save' : 'Turn on'}
        </Button>
      </div>
    </>
  )
}

const One = ({ one, isOwn }: { one: Subscribed; isOwn: boolean }) => {
  const { mutateAsync } = useUnsubscribe()
  const test = useTestMessage()
  const send = () =>
    test.mutate(one.id, {
      onSuccess: ({ delivered, statusCode }) =>
        void (delivered
          ? toast.done('Test notification sent')
          : toast.failed(
              'Not delivered',
              statusCode === 0
                ? 'That browser has been signed out.'
                : `The push service of the browser responded ${statusCode}.`,
            )),
      onError: (error) => void toast.failed('Not sent', errorMessage(error)),
    })
  return (
    <Row
      title={one.device}
      aside={isOwn && <Tag tone="good">This browser</Tag>}
      meta={
        <Facts
          facts={[
            ...one.topics.map((topic) => topicNames[topic]),
            <span key="at">
              since <When at={one.createdAt} />
            </span>,
          ]}
        />
      }
      actions={
        <>
          <Button size="small" needsService disabled={test.isPending} onClick={send}>
            Send test
          </Button>
          <Confirm verb="Remove" title={`Remove ${one.device}`} onConfirm={() => mutateAsync(one.id)}>
            It receives no more notifications.
          </Confirm>
        </>
      }
    />
  )
}
