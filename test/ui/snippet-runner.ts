import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import * as path from 'node:path'
import type { Language } from '../../functions/ui/app/views/webhooks/languages.ts'
import { serviceNode, temporaryFolder } from '../journeys/service.ts'

export type Heard = { body: string; headers: Readonly<Record<string, string>>; secret: string }

type Runner = {
  program: string
  /** Arguments that check whether the program exists. */
  version: string
  /** The file name of the snippet, and a program that reads cases as JSON and prints a verdict for each. */
  snippet: string
  files: Readonly<Record<string, string>>
  args: readonly string[]
}

const runners: Readonly<Record<Language, Runner>> = {
  node: {
    program: serviceNode,
    version: '--version',
    snippet: 'receiver.js',
    files: {
      'package.json': '{"type": "module"}',
      'main.js': `import { readFileSync } from 'node:fs'
import { isFromService } from './receiver.js'
const cases = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map(({ body, headers, secret }) => isFromService(Buffer.from(body), headers, secret))))
`,
    },
    args: ['main.js'],
  },
  python: {
    program: 'python3',
    version: '--version',
    snippet: 'receiver.py',
    files: {
      'main.py': `import json
import sys
from receiver import is_from_service
cases = json.load(sys.stdin)
print(json.dumps([is_from_service(c["body"].encode(), c["headers"], c["secret"]) for c in cases]))
`,
    },
    args: ['main.py'],
  },
  go: {
    program: 'go',
    version: 'version',
    snippet: 'receiver/receiver.go',
    files: {
      'go.mod': 'module example\n\ngo 1.19\n',
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"

	"example/receiver"
)

func main() {
	var cases []struct {
		Body, Secret string
		Headers      map[string]string
	}
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		panic(err)
	}
	answers := []bool{}
	for _, one := range cases {
		header := http.Header{}
		for name, value := range one.Headers {
			header.Set(name, value)
		}
		answers = append(answers, receiver.IsFromService([]byte(one.Body), header, one.Secret))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`,
    },
    args: ['run', '.'],
  },
}

export const isHere = (language: Language): boolean => {
  const { program, version } = runners[language]
  return spawnSync(program, [version]).status === 0
}

/** Resolves to the snippet's verdict for each request. */
export const snippetVerdicts = (language: Language, snippet: string, heard: readonly Heard[]): boolean[] => {
  const { program, args, files, snippet: name } = runners[language]
  using folder = temporaryFolder()
  for (const [file, text] of Object.entries({ ...files, [name]: snippet })) {
    mkdirSync(path.dirname(folder.in(file)), { recursive: true })
    writeFileSync(folder.in(file), text)
  }
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' }
  const input = JSON.stringify(heard)
  return JSON.parse(execFileSync(program, args, { cwd: folder.path, env, input, encoding: 'utf8' }))
}
