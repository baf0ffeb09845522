import { useState } from 'react'
import type { Texts } from '../../components/form.tsx'
import { webhookEvents } from '../../data/at-build.ts'
import type { EventName } from '../../data/webhooks.ts'

const ALL = '*' satisfies EventName

const words: Readonly<Record<Exclude<EventName, typeof ALL>, string>> = {
  'task.created': 'a task is created',
  'task.completed': 'a task completes, with its result',
  'task.failed': 'a task fails for good, with the reason',
  'task.cancelled': 'a task is cancelled',
  'agent.started': 'an attempt starts',
  'agent.finished': 'an attempt ends, with the output of the agent',
}

export const eventsIn = (texts: Texts): EventName[] =>
  texts[`event-${ALL}`] ? [ALL] : webhookEvents.filter((name) => texts[`event-${name}`])

type Props = { chosen: readonly EventName[]; error: string | undefined }

export const EventsField = ({ chosen, error }: Props) => {
  const [isAll, setAll] = useState(chosen.includes(ALL))
  const box = (name: EventName) => ({
    type: 'checkbox',
    name: `event-${name}`,
    'aria-invalid': error ? true : undefined,
    className: 'mt-0.5 size-3.5 shrink-0',
  })
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="pb-1 font-medium">Events</legend>
      <label className="flex items-start gap-2">
        <input {...box(ALL)} checked={isAll} onChange={() => setAll(!isAll)} />
        <span>
          <code className="font-mono">*</code>{' '}
          <span className="text-muted-foreground">all, including events of later versions</span>
        </span>
      </label>
      {webhookEvents.map((name) => (
        <label key={name} className="flex items-start gap-2">
          <input
            key={String(isAll)}
            {...box(name)}
            {...(isAll
              ? { disabled: true, defaultChecked: true }
              : { defaultChecked: chosen.includes(name) })}
          />
          <span>
            <code className="font-mono">{name}</code>{' '}
            <span className="text-muted-foreground">{words[name]}</span>
          </span>
        </label>
      ))}
      {error && <span className="text-destructive">{error}</span>}
    </fieldset>
  )
}
