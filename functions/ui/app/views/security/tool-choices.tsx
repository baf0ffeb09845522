import { inputClass } from '../../components/field.tsx'
import { RiskTag } from '../../components/risk.tsx'
import { tools } from '../../data/at-build.ts'
import { type ToolChoice, type ToolLists, type ToolName, toolChoice, withChoice } from './choices.ts'
import { choices } from './words.ts'

const names = Object.keys(choices) as ToolChoice[]

type Props = { lists: ToolLists; isDisabled: boolean; onChange: (lists: ToolLists) => void }

/** One choice for each tool. */
export const ToolChoices = ({ lists, isDisabled, onChange }: Props) => (
  <>
    <ul aria-label="Tools" className="divide-y">
      {tools.map(({ name, risk }) => (
        <li key={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-1.5 hover:bg-muted">
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
            <code className="font-mono">{name}</code>
            <RiskTag risk={risk} />
          </span>
          <select
            aria-label={name}
            value={toolChoice(lists, name as ToolName)}
            disabled={isDisabled}
            onChange={({ target }) =>
              onChange(withChoice(lists, name as ToolName, target.value as ToolChoice))
            }
            className={`${inputClass} max-w-40`}
          >
            {names.map((choice) => (
              <option key={choice} value={choice}>
                {choices[choice].label}
              </option>
            ))}
          </select>
        </li>
      ))}
    </ul>
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 border-t px-3.5 py-3 text-muted-foreground">
      {names.map((choice) => (
        <div key={choice} className="contents">
          <dt className="font-medium text-foreground">{choices[choice].label}</dt>
          <dd>{choices[choice].meaning}</dd>
        </div>
      ))}
    </dl>
  </>
)
