import { ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { firstLineTitle } from '../../../../lib/core/first-line-title.ts'
import { SelectField, TextField } from '../components/field.tsx'
import { LimitInputs } from './limit-fields.tsx'
import { hasLimits } from './limits.ts'
import type { TypedFields } from './typed-fields.ts'

const NAMES = ['title', 'priority', 'labels', 'runsOn', 'sourceUrl', 'cron', 'timezone'] as const
const LIMITS = ['timeoutMs', 'maxSteps', 'maxCostUsd'] as const

const isSet = (typed: TypedFields['typed']): boolean =>
  hasLimits(typed) ||
  NAMES.some((name) => {
    const text = typed[name] ?? ''
    return text !== '' && !(name === 'priority' && text === '3') && name !== 'timezone'
  })

type Props = TypedFields & { prompt: string; canRepeat: boolean }

/** Folded unless something of it is set or refused. */
export const MoreFields = ({ typed, errors, prompt, canRepeat }: Props) => {
  const [isOpen, setOpen] = useState(() => isSet(typed))
  const isRefused = [...NAMES, ...LIMITS].some((name) => errors[name] !== undefined)
  return (
    <details open={isOpen || isRefused} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="flex w-fit items-center gap-1.5 font-medium">
        <ChevronRight size={14} className="text-muted-foreground [details[open]>summary>&]:rotate-90" />
        <span>More</span>
        <span className="font-normal text-muted-foreground">
          title, priority, limits{canRepeat && ', repeat'}
        </span>
      </summary>
      {/* Stays in the document while folded: its values are sent. */}
      <div className="grid grid-cols-1 gap-3 pt-3 sm:grid-cols-2">
        <div className="flex sm:col-span-2">
          <TextField
            label="Title"
            name="title"
            defaultValue={typed.title}
            placeholder={firstLineTitle(prompt) || 'The first line of the prompt'}
            autoComplete="off"
            error={errors.title}
          />
        </div>
        <SelectField
          label="Priority"
          name="priority"
          defaultValue={typed.priority ?? '3'}
          error={errors.priority}
        >
          <option value="1">Critical</option>
          <option value="2">High</option>
          <option value="3">Normal</option>
          <option value="4">Low</option>
        </SelectField>
        <TextField
          label="Labels"
          name="labels"
          defaultValue={typed.labels}
          placeholder="Separated by commas"
          autoComplete="off"
          error={errors.labels}
        />
        <TextField
          label="Runs on"
          name="runsOn"
          defaultValue={typed.runsOn}
          placeholder="Runner labels"
          autoComplete="off"
          error={errors.runsOn}
        />
        <TextField
          label="Source link"
          name="sourceUrl"
          type="url"
          defaultValue={typed.sourceUrl}
          placeholder="https://"
          autoComplete="off"
          error={errors.sourceUrl}
        />
        {canRepeat && <RepeatField typed={typed} errors={errors} />}
      </div>
      <div className="pt-3">
        <LimitInputs typed={typed} errors={errors} isShown={isOpen || isRefused} />
      </div>
    </details>
  )
}

const PATTERNS: readonly (readonly [string, string])[] = [
  ['0 * * * *', 'Every hour'],
  ['0 9 * * *', 'Every day at 9:00'],
  ['0 9 * * MON-FRI', 'Monday to Friday at 9:00'],
  ['0 9 * * MON', 'Every Monday at 9:00'],
  ['0 9 1 * *', 'On the first of each month at 9:00'],
]

/** A pattern makes a schedule of the task. */
const RepeatField = ({ typed, errors }: TypedFields) => {
  const list = useId()
  return (
    <>
      <TextField
        label="Repeat"
        name="cron"
        list={list}
        defaultValue={typed.cron}
        placeholder="Once, now"
        autoComplete="off"
        spellCheck={false}
        hint="A cron pattern creates a schedule."
        error={errors.cron}
      />
      <datalist id={list}>
        {PATTERNS.map(([pattern, words]) => (
          <option key={pattern} value={pattern}>
            {words}
          </option>
        ))}
      </datalist>
    </>
  )
}
