{{/* The name of the release, at most 40 characters, so that the longest suffix fits into 63. */}}
{{- define "gateway.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What all objects are labelled with; call with (list . "component"). */}}
{{- define "gateway.labels" -}}
{{- $ := first . -}}
helm.sh/chart: {{ printf "%s-%s" $.Chart.Name $.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ $.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ $.Release.Service }}
{{- with $.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* What pods are selected by; never changes in the life of a release. */}}
{{- define "gateway.selector" -}}
{{- $ := first . -}}
app.kubernetes.io/name: {{ default $.Chart.Name $.Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ $.Release.Name }}
{{- with last . }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{/* Name, labels and annotations; call with (dict "root" $ "name" … "component" … "annotations" …). */}}
{{- define "gateway.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "gateway.labels" (list .root .component) | nindent 2 }}
  {{- with .labels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "gateway.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ default .Chart.AppVersion $image.tag }}
{{- end -}}
{{- end -}}

{{- define "gateway.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "gateway.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* The groups of workers that are not removed with `null`, each with the defaults; as YAML. */}}
{{- define "gateway.workers" -}}
{{- $groups := dict -}}
{{- range $name, $group := .Values.workers -}}
{{- if not (kindIs "invalid" $group) -}}
{{- $_ := set $groups $name (mergeOverwrite (deepCopy $.Values.workerDefaults) $group) -}}
{{- end -}}
{{- end -}}
{{- toYaml $groups -}}
{{- end -}}

{{- define "gateway.buildId" -}}
{{- default (default .Chart.AppVersion .Values.image.tag) .Values.workerDeployment.buildId -}}
{{- end -}}
