import { useState } from 'react'
import { fieldErrors } from '../../components/field-errors.ts'
import { usePaused } from '../../components/paused.ts'
import { errorMessage } from '../../components/problem.tsx'
import { When } from '../../components/when.tsx'
import { useDueTimes } from '../../data/schedules.ts'
import { formatInZone, zonePlace } from './due.tsx'
import { readRepeat } from './repeat.ts'
import { FIRST, RepeatFields } from './repeat-fields.tsx'
import { ZoneField } from './zone-field.tsx'

const PAUSE_MS = 400
/** Five fields, or a nickname. */
const isComplete = (cron: string) => /^(?:@[a-z]{5,}|\S+(?:\s+\S+){4,})$/i.test(cron)

/** `cron` is absent in a new schedule. */
type Props = { cron: string | undefined; timezone: string; errors: Readonly<Record<string, string>> }

/** When it runs, with the next due times as the service computes them. */
export const PatternFields = ({ cron: first = FIRST, timezone: firstZone, errors }: Props) => {
  const [cron, setCron] = useState(first)
  const [isCustom, setCustom] = useState(readRepeat(first) === undefined)
  const [timezone, setTimezone] = useState(firstZone)
  const pattern = cron.trim()
  const asked = usePaused(isComplete(pattern) ? pattern : '', PAUSE_MS)
  const zone = usePaused(timezone, PAUSE_MS)
  const due = useDueTimes(asked, zone)
  const isBehind = asked !== pattern || zone !== timezone || due.isPlaceholderData
  const wrong = isBehind ? {} : fieldErrors(due.error)
  return (
    <>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <RepeatFields
          cron={cron}
          isCustom={isCustom}
          error={wrong.cron ?? errors.cron}
          onChange={(next, custom) => {
            setCron(next)
            setCustom(custom)
          }}
        />
        <ZoneField value={timezone} error={wrong.timezone ?? errors.timezone} onChange={setTimezone} />
      </div>
      <div role="status" className="min-h-24 shrink-0 rounded-md border bg-muted/60 px-3 py-2 sm:min-h-19">
        <DueTimes
          times={asked === '' || isBehind || due.error ? undefined : due.data}
          timezone={zone}
          note={dueTimesNote(asked !== '', isBehind, due.error)}
        />
      </div>
    </>
  )
}

const dueTimesNote = (isAsked: boolean, isBehind: boolean, error: unknown): string => {
  if (!isAsked) return 'The next runs are shown here.'
  if (isBehind || !error) return 'Loading the next runs'
  return Object.keys(fieldErrors(error)).length > 0
    ? 'The pattern or the time zone is not valid.'
    : errorMessage(error)
}

type Times = { times: readonly string[] | undefined; timezone: string; note: string }

const DueTimes = ({ times, timezone, note }: Times) => {
  if (times === undefined) return <p className="text-muted-foreground">{note}</p>
  return (
    <>
      <p className="text-xs text-muted-foreground">Next runs ({zonePlace(timezone)})</p>
      <ol aria-label="Next runs" className="grid grid-cols-2 gap-x-4 sm:grid-cols-3">
        {times.map((at) => (
          <li key={at} className="whitespace-nowrap">
            {formatInZone(timezone, at)} <When at={at} className="text-xs text-muted-foreground" />
          </li>
        ))}
      </ol>
    </>
  )
}
