import { SelectField, TextField } from '../../components/field.tsx'
import { cronInWords } from './cron-words.ts'
import { type Kind, kinds, type Repeat, readRepeat, weekdays, writeRepeat } from './repeat.ts'

/** The first choice of a new schedule. */
export const FIRST = '0 9 * * MON-FRI'

const DAYS = Array.from({ length: 31 }, (_, at) => at + 1)

const CUSTOM = 'custom'
const FIELDS = 'Minute, hour, day of month, month, day of week'

type Props = {
  cron: string
  isCustom: boolean
  error: string | undefined
  onChange: (cron: string, isCustom: boolean) => void
}

/** The usual patterns as choices, any other as cron. */
export const RepeatFields = ({ cron, isCustom, error, onChange }: Props) => {
  const repeat = isCustom ? undefined : readRepeat(cron)
  const write = (next: Repeat) => onChange(writeRepeat(next), false)
  const choose = (kind: string) => {
    if (kind === CUSTOM) return onChange(cron, true)
    write({ time: '09:00', weekday: 'MON', day: 1, ...readRepeat(cron), kind: kind as Kind } as Repeat)
  }
  return (
    <>
      <SelectField
        label="Repeat"
        value={repeat?.kind ?? CUSTOM}
        onChange={({ target }) => choose(target.value)}
      >
        {Object.entries(kinds).map(([kind, words]) => (
          <option key={kind} value={kind}>
            {words}
          </option>
        ))}
        <option value={CUSTOM}>Custom (cron)</option>
      </SelectField>
      {repeat?.kind === 'week' && (
        <SelectField
          label="Day"
          value={repeat.weekday}
          onChange={({ target }) => write({ ...repeat, weekday: target.value })}
        >
          {Object.entries(weekdays).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </SelectField>
      )}
      {repeat?.kind === 'month' && (
        <SelectField
          label="Day of the month"
          value={repeat.day}
          onChange={({ target }) => write({ ...repeat, day: Number(target.value) })}
        >
          {DAYS.map((day) => (
            <option key={day} value={day}>
              {day}
            </option>
          ))}
        </SelectField>
      )}
      {repeat !== undefined && repeat.kind !== 'hour' && (
        <TextField
          label="At"
          type="time"
          required
          value={repeat.time}
          onChange={({ target }) => target.value !== '' && write({ ...repeat, time: target.value })}
        />
      )}
      {repeat === undefined ? (
        <TextField
          label="Pattern"
          name="cron"
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
          placeholder={FIRST}
          value={cron}
          error={error}
          hint={cronInWords(cron) ?? FIELDS}
          onChange={({ target }) => onChange(target.value, true)}
        />
      ) : (
        <input type="hidden" name="cron" value={cron} />
      )}
    </>
  )
}
