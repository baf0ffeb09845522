import { Button } from '../../components/button.tsx'
import { Field, inputClass } from '../../components/field.tsx'
import { Tag } from '../../components/tag.tsx'
import type { Answer } from '../../data/settings.ts'
import { parseSetting, type Setting } from './drafts.ts'
import { words } from './setting-names.ts'

type Props = {
  setting: Setting
  source: Answer['sources'][string] | undefined
  text: string
  error: string | undefined
  onWrite: (text: string) => void
  onReset: () => void
}

export const SettingField = ({ setting, source, text, error, onWrite, onReset }: Props) => {
  const { path, variable } = setting
  const { label, hint } = words[path] ?? { label: path }
  const isFixed = source === 'environment'
  return (
    <div className={`relative flex min-w-0 ${setting.shape.type === 'array' ? 'sm:col-span-2' : ''}`}>
      <Field label={label} error={error} hint={isFixed ? `Set by ${variable} in the environment.` : hint}>
        <Control
          setting={setting}
          text={text}
          onWrite={onWrite}
          isDisabled={isFixed}
          isWrong={error !== undefined}
        />
      </Field>
      <span className="absolute top-0 right-0 flex items-center gap-1">
        {isFixed && <Tag>Environment</Tag>}
        {source === 'stored' && (
          <Button
            kind="ghost"
            className="h-5 px-1.5 text-xs"
            aria-label={`Reset ${label}`}
            title="Reset to the default"
            onClick={onReset}
          >
            Reset
          </Button>
        )}
      </span>
    </div>
  )
}

const inputMode = (type: unknown, isDuration = false) => {
  if (type === 'number') return 'decimal'
  return type === 'integer' && !isDuration ? 'numeric' : 'text'
}

type ControlProps = Pick<Props, 'setting' | 'text' | 'onWrite'> & { isDisabled: boolean; isWrong: boolean }

const Control = ({ setting, text, onWrite, isDisabled, isWrong }: ControlProps) => {
  const { path, variable, shape } = setting
  const { choices, isDuration } = words[path] ?? {}
  const bound = {
    name: path,
    title: `${variable}=${String(parseSetting(setting, text))}`,
    value: text,
    disabled: isDisabled,
    autoComplete: 'off',
    'aria-invalid': isWrong ? true : undefined,
    onChange: ({ target }: { target: { value: string } }) => onWrite(target.value),
  } as const
  const look = `${inputClass} disabled:opacity-70`
  if (shape.enum)
    return (
      <select {...bound} className={look}>
        {shape.enum.map((value) => (
          <option key={String(value)} value={String(value)}>
            {choices?.[String(value)] ?? String(value)}
          </option>
        ))}
      </select>
    )
  if (shape.type === 'boolean')
    return (
      <select {...bound} className={look}>
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    )
  return <input {...bound} className={look} inputMode={inputMode(shape.type, isDuration)} />
}
