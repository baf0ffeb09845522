import { GitBranch, type LucideIcon, Package } from 'lucide-react'
import { type ReactNode, useId, useRef } from 'react'
import { useConnection } from '../data/integrations.ts'
import { useRepositories } from '../data/repositories.ts'
import type { TypedFields } from './typed-fields.ts'

const MOST_RECENT = 3

type Props = TypedFields & { repository: string }

/** Both are picked from what tasks used before and what the linked account reaches, or typed. */
export const RepositoryFields = ({ typed, errors, repository }: Props) => {
  const { repositories, branches, defaultBranch } = useRepositories(repository.trim())
  const { data: account } = useConnection('codehost')
  const field = useRef<HTMLInputElement>(null)
  const recent = repository.trim() === '' ? repositories.slice(0, MOST_RECENT) : []
  const pick = (name: string) => {
    const input = field.current
    if (!input) return
    input.value = name
    // The form keeps its draft by this event.
    input.dispatchEvent(new Event('input', { bubbles: true }))
    input.focus()
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="grid grid-cols-1 gap-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <Picker
          ref={field}
          icon={Package}
          label="Repository"
          name="repository"
          placeholder={`${account?.username ?? 'owner'}/repo, or none`}
          value={typed.repository}
          error={errors.repository}
          options={repositories}
        />
        <Picker
          icon={GitBranch}
          label="Branch"
          name="branch"
          placeholder={defaultBranch ? `${defaultBranch} (default)` : 'Default branch'}
          value={typed.branch}
          error={errors.branch}
          options={branches}
        />
      </div>
      {recent.length > 0 && (
        <ul aria-label="Recent repositories" className="flex flex-wrap gap-1.5">
          {recent.map((name) => (
            <li key={name} className="min-w-0">
              <button
                type="button"
                onClick={() => pick(name)}
                className="h-6 max-w-full truncate rounded-md border px-2 text-xs text-muted-foreground hover:bg-accent hover:text-foreground"
              >
                {name}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

type PickerProps = {
  ref?: React.Ref<HTMLInputElement>
  icon: LucideIcon
  label: string
  name: string
  placeholder: string
  value: string | undefined
  error: string | undefined
  options: readonly string[]
}

const Picker = ({ ref, icon: Icon, label, value, error, options, ...rest }: PickerProps): ReactNode => {
  const list = useId()
  return (
    <label className="flex min-w-0 flex-col gap-1">
      <span className="flex h-8 items-center gap-2 rounded-md border border-input bg-background pl-2.5 focus-within:border-ring has-aria-invalid:border-destructive">
        <Icon size={14} className="shrink-0 text-muted-foreground" />
        <input
          {...rest}
          ref={ref}
          aria-label={label}
          list={list}
          defaultValue={value}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error ? true : undefined}
          className="h-full min-w-0 flex-1 rounded-r-md bg-transparent pr-2 outline-none placeholder:text-muted-foreground"
        />
        <datalist id={list}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      </span>
      {error && <span className="text-destructive">{error}</span>}
    </label>
  )
}
