{{/* A variable from the Secret; call with (list . "NAME" optional). */}}
{{- define "gateway.secretVariable" -}}
- name: {{ index . 1 }}
  valueFrom:
    secretKeyRef:
      name: {{ required "existingSecret: name a Secret with DATABASE_URL, SECRETS_KEY and ADMIN_TOKEN" (first .).Values.existingSecret }}
      key: {{ index . 1 }}
      {{- if index . 2 }}
      optional: true
      {{- end }}
{{- end -}}

{{/*
The environment of a container; call with (dict "root" $ "secrets" (list …) "optionalSecrets" (list …) "settings" (dict …)).
A setting without a value is left out.
*/}}
{{- define "gateway.environment" -}}
{{- $root := .root -}}
{{- range .secrets }}
{{ include "gateway.secretVariable" (list $root . false) }}
{{- end }}
{{- range .optionalSecrets }}
{{ include "gateway.secretVariable" (list $root . true) }}
{{- end }}
{{- range $name, $value := .settings }}
{{- if ne (toString $value) "" }}
- name: {{ $name }}
  value: {{ toString $value | quote }}
{{- end }}
{{- end }}
{{- with $root.Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What api and workers may have in the Secret. */}}
{{- define "gateway.sharedSecrets" -}}
{{- list "SECRETS_KEY_PREVIOUS" "TEMPORAL_API_KEY" "SENDGRID_API_KEY" "OTEL_EXPORTER_OTLP_HEADERS" "OTEL_EXPORTER_OTLP_TRACES_HEADERS" | toJson -}}
{{- end -}}

{{/* Settings of Temporal and of what api and workers share, as YAML. */}}
{{- define "gateway.sharedSettings" -}}
{{- $temporal := .Values.temporal -}}
{{- $settings := dict
  "TEMPORAL_ADDRESS" (required "temporal.address: the host and port of Temporal's frontend" $temporal.address)
  "TEMPORAL_NAMESPACE" $temporal.namespace
  "TEMPORAL_TASK_QUEUE" $temporal.taskQueue
  "METRICS_PORT" (.Values.metrics.port | toString)
  "PUBLIC_URL" .Values.publicUrl
-}}
{{- with $temporal.tls -}}
{{- if .existingSecret -}}
{{- $_ := set $settings "TEMPORAL_TLS" "true" -}}
{{- if .caKey }}{{ $_ := set $settings "TEMPORAL_TLS_SERVER_CA_CERT_PATH" (printf "/etc/temporal-tls/%s" .caKey) }}{{ end -}}
{{- if .certKey }}{{ $_ := set $settings "TEMPORAL_TLS_CLIENT_CERT_PATH" (printf "/etc/temporal-tls/%s" .certKey) }}{{ end -}}
{{- if .keyKey }}{{ $_ := set $settings "TEMPORAL_TLS_CLIENT_KEY_PATH" (printf "/etc/temporal-tls/%s" .keyKey) }}{{ end -}}
{{- end -}}
{{- $_ := set $settings "TEMPORAL_TLS_SERVER_NAME" .serverName -}}
{{- end -}}
{{- with .Values.otlpEndpoint -}}
{{- $_ := set $settings "OTEL_EXPORTER_OTLP_ENDPOINT" . -}}
{{- end -}}
{{- toYaml (merge (deepCopy .Values.config) $settings) -}}
{{- end -}}

{{/* Volumes of api and workers; "backups" is true for a worker that makes them. */}}
{{- define "gateway.volumes" -}}
{{- $root := .root -}}
# The only folder of the image that is written to: the root is read-only.
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- with $root.Values.temporal.tls.existingSecret }}
- name: temporal-tls
  secret:
    secretName: {{ . }}
{{- end }}
{{- if .backups }}
- name: backups
  persistentVolumeClaim:
    claimName: {{ default (printf "%s-backups" (include "gateway.fullname" $root)) $root.Values.backups.volume.existingClaim }}
{{- end }}
{{- with $root.Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "gateway.volumeMounts" -}}
{{- $root := .root -}}
- name: tmp
  mountPath: /tmp
{{- if $root.Values.temporal.tls.existingSecret }}
- name: temporal-tls
  mountPath: /etc/temporal-tls
  readOnly: true
{{- end }}
{{- if .backups }}
- name: backups
  mountPath: /backups
{{- end }}
{{- with $root.Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Where and how pods run; call with (dict "root" $ "component" … "values" …). */}}
{{- define "gateway.placement" -}}
{{- $root := .root -}}
securityContext:
  {{- toYaml $root.Values.podSecurityContext | nindent 2 }}
automountServiceAccountToken: false
# Variables of other Services of the namespace could be taken for settings.
enableServiceLinks: false
{{- with $root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
topologySpreadConstraints:
  {{- if .values.topologySpreadConstraints }}
  {{- toYaml .values.topologySpreadConstraints | nindent 2 }}
  {{- else }}
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "gateway.selector" (list $root $.component) | nindent 8 }}
    # Each rollout is spread by itself.
    matchLabelKeys: [pod-template-hash]
  {{- end }}
  {{- end }}
{{- end -}}

{{/* Annotations of pods. */}}
{{- define "gateway.podMetadata" -}}
labels:
  {{- include "gateway.labels" (list .root .component) | nindent 2 }}
  {{- with .values.podLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) .values.podAnnotations .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/*
A start takes seconds; the two minutes are for a busy node. Liveness asks the process alone: what it cannot reach it waits
for. Readiness asks its database too, and of a worker Temporal (docs/metrics.md#health).
*/}}
{{- define "gateway.probes" -}}
startupProbe:
  httpGet: { path: /health/live, port: {{ . }} }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /health/live, port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /health/ready, port: {{ . }} }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
