import { useId, useState } from 'react'
import { TextField } from '../../components/field.tsx'
import { fieldErrors } from '../../components/field-errors.ts'
import { usePaused } from '../../components/paused.ts'
import { errorMessage } from '../../components/problem.tsx'
import { When } from '../../components/when.tsx'
import { useDueTimes } from '../../data/schedules.ts'
import { cronInWords } from './cron-words.ts'
import { formatInZone, zonePlace } from './due.tsx'
import { ZoneField } from './zone-field.tsx'

const COMMON = [
  ...['*/15 * * * *', '0 * * * *', '0 */6 * * *', '0 3 * * *', '0 9 * * MON-FRI', '0 9 * * MON'],
  ...['0 9 1 * *', '0 9 L * *', '0 9 * * MON#1'],
]
const FIELDS = 'Minute, hour, day of month, month, day of week'
const PAUSE_MS = 400
/** Five fields, or a nickname. */
const isComplete = (cron: string) => /^(?:@[a-z]{5,}|\S+(?:\s+\S+){4,})$/i.test(cron)

type Props = { cron: string; timezone: string; errors: Readonly<Record<string, string>> }

/** Shows the pattern in words at once, and the next due times as the service computes them. */
export const PatternFields = ({ cron: first, timezone: firstZone, errors }: Props) => {
  const [cron, setCron] = useState(first)
  const [timezone, setTimezone] = useState(firstZone)
  const list = useId()
  const pattern = cron.trim()
  const asked = usePaused(isComplete(pattern) ? pattern : '', PAUSE_MS)
  const zone = usePaused(timezone, PAUSE_MS)
  const due = useDueTimes(asked, zone)
  const isBehind = asked !== pattern || zone !== timezone || due.isPlaceholderData
  const wrong = isBehind ? {} : fieldErrors(due.error)
  return (
    <>
      <div className="grid grid-cols-1 gap-3 sm:grid-cols-2">
        <TextField
          label="Pattern"
          name="cron"
          list={list}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          placeholder="0 9 * * MON-FRI"
          value={cron}
          error={wrong.cron ?? errors.cron}
          hint={cronInWords(cron) ?? (isComplete(pattern) ? pattern : FIELDS)}
          onChange={({ target }) => setCron(target.value)}
        />
        <ZoneField value={timezone} error={wrong.timezone ?? errors.timezone} onChange={setTimezone} />
      </div>
      <datalist id={list}>
        {COMMON.map((common) => (
          <option key={common} value={common}>
            {cronInWords(common)}
          </option>
        ))}
      </datalist>
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
