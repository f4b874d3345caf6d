// Tacit for OpenCode, written by: tacit install opencode. Taken out by: tacit uninstall opencode
//
// It tells Tacit when a session begins, gets a prompt, rests or is compacted, and adds to the system prompt what
// Tacit answers. When a file was edited or a command has failed, it adds to the result what Tacit knows of that. If
// the person switched a guard on, it asks Tacit before a command or an edit, and stops the call if Tacit says so. When
// suggestions wait, a toast says so to the person; the model is not told. Whatever goes wrong, OpenCode goes on as if
// this file were not here.

import { spawn, spawnSync } from "node:child_process"
import { homedir } from "node:os"
import { join } from "node:path"

const COMMANDS = @COMMANDS@
const TIMEOUTS = @TIMEOUTS@
const EDITS = new Set(["edit", "write", "multiedit", "patch", "apply_patch"])
const MOST = 40000 // characters that a session is told in all

// Runs a command with what is to be known on its input; resolves to the text it answers for the model, or to nothing.
// A line for the person goes to `show`.
async function tell(event, payload, show = () => {}) {
  const { context, notice } = await run(event, payload)
  if (notice) show(notice)
  return context || ""
}

// Runs a command and resolves to what it answers, or to an empty object.
function run(event, payload) {
  return new Promise((resolve) => {
    try {
      const [first, ...rest] = COMMANDS[event]
      const child = spawn(first, rest, { stdio: ["pipe", "pipe", "ignore"] })
      let answer = ""
      const end = () => {
        clearTimeout(timer)
        try {
          resolve(JSON.parse(answer) || {})
        } catch {
          resolve({})
        }
      }
      const timer = setTimeout(() => child.kill(), TIMEOUTS[event])
      child.on("error", end)
      child.on("close", end)
      child.stdin.on("error", () => {})
      child.stdout.setEncoding("utf8")
      child.stdout.on("data", (part) => (answer += part))
      child.stdin.end(JSON.stringify(payload))
    } catch {
      resolve({})
    }
  })
}

const server = async ({ client, directory }) => {
  if (process.env.TACIT_JUDGE) return {} // this OpenCode judges sessions for Tacit
  const data = process.env.XDG_DATA_HOME || join(homedir(), ".local", "share")
  const transcript_path = join(data, "opencode", "opencode.db")
  const sessions = new Map() // id -> { start, prompts, working }
  const made = new Set() // sessions that began in this process
  const children = new Set() // sessions of an agent's own helpers: they are told nothing

  const warnings = new Map() // of calls that run, to be added to their output

  const show = async (message) => {
    try {
      await client.tui.showToast({ body: { message, variant: "info" } })
    } catch {}
  }
  const about = (session_id, more) => ({ session_id, transcript_path, cwd: directory, ...more })
  const begun = (id, source) => {
    const session = sessions.get(id) || { prompts: [], working: false }
    session.start = tell("session.start", about(id, { source }), show)
    sessions.set(id, session)
    return session
  }
  const rests = (id) => {
    const session = sessions.get(id)
    if (session && session.working) {
      session.working = false
      return tell("session.idle", about(id))
    }
  }

  // `opencode run` ends without a word about its sessions, and when a process exits nothing can be waited for. The hook
  // returns at once: it leaves the work to a process of its own.
  const ends = () => {
    for (const id of sessions.keys()) {
      try {
        const [first, ...rest] = COMMANDS["session.end"]
        const input = JSON.stringify(about(id))
        spawnSync(first, rest, { input, stdio: ["pipe", "ignore", "ignore"], timeout: TIMEOUTS["session.end"] })
      } catch {}
    }
    sessions.clear()
  }
  process.on("exit", ends)

  return {
    event: async ({ event }) => {
      try {
        const { info, sessionID, status } = event.properties || {}
        if (event.type === "session.created") (info.parentID ? children : made).add(info.id)
        if (event.type === "session.idle") await rests(sessionID)
        if (event.type === "session.status" && status && status.type === "idle") await rests(sessionID)
        if (event.type === "session.compacted" && sessions.has(sessionID)) begun(sessionID, "compact").prompts = []
        if (event.type === "server.instance.disposed") {
          process.off("exit", ends)
          ends()
        }
      } catch {}
    },

    "chat.message": async (input, output) => {
      try {
        const id = input.sessionID
        if (!id || children.has(id)) return
        const session = sessions.get(id) || begun(id, made.has(id) ? "startup" : "resume")
        session.working = true
        const typed = (output.parts || []).filter((part) => part.type === "text" && !part.synthetic)
        const prompt = typed.map((part) => part.text).join("\n")
        // After the start, so that nothing is said twice.
        session.prompts.push(session.start.then(() => tell("chat.message", about(id, { prompt }))))
      } catch {}
    },

    // Asked at every call of the model, and not stored: so all that this session was told is said again.
    "experimental.chat.system.transform": async (input, output) => {
      try {
        const session = sessions.get(input.sessionID)
        if (!session) return
        const texts = (await Promise.all([session.start, ...session.prompts])).filter(Boolean)
        for (let room = MOST; texts.length && room >= texts[0].length; room -= texts.shift().length) {
          output.system.push(texts[0])
        }
      } catch {}
    },

    "tool.execute.before": async (input, output) => {
      if (!COMMANDS["tool.execute.before"]) return
      const call = about(input.sessionID, { tool_name: input.tool, tool_input: output.args })
      const { deny, warn } = await run("tool.execute.before", call)
      if (deny) throw new Error(deny) // this is how a call is stopped; the model is told the text
      if (warn) warnings.set(input.callID, warn)
    },

    "tool.execute.after": async (input, output) => {
      const warning = warnings.get(input.callID)
      warnings.delete(input.callID)
      if (!output || typeof output.output !== "string") return
      if (warning) output.output += `\n\n${warning}`
      try {
        const exit = (output.metadata || {}).exit
        if (!sessions.has(input.sessionID) || !(EDITS.has(input.tool) || (input.tool === "bash" && exit))) return
        const result = { tool_response: output.output, exit: exit || 0 }
        const call = about(input.sessionID, { tool_name: input.tool, tool_input: input.args, ...result })
        const context = await tell("tool.execute.after", call)
        if (context) output.output += `\n\n${context}`
      } catch {}
    },

    "experimental.session.compacting": async (input) => {
      try {
        if (sessions.has(input.sessionID)) await tell("session.compacting", about(input.sessionID))
      } catch {}
    },
  }
}

export default { id: "tacit", server }
