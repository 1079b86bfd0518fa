// Command check reads rendered Kubernetes manifests from standard input, separated by "---", and checks each of them
// against the Go types of its API. An unknown field, a duplicate field or a field of the wrong type is a mistake, and so is
// a kind that no type is known for. Then it checks what holds between the objects: names, labels, selectors, ports and
// volumes.
//
// It prints one line for each object, or the mistakes and ends with status 1. `npm run chart` runs it.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	keda "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
	monitoring "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// decoder knows the kinds that a chart may contain, and refuses unknown and duplicate fields.
func decoder() (runtime.Decoder, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		corev1.AddToScheme, appsv1.AddToScheme, batchv1.AddToScheme, policyv1.AddToScheme,
		networkingv1.AddToScheme, autoscalingv2.AddToScheme, keda.AddToScheme, monitoring.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(), nil
}

// decodeAll returns the objects of all documents, and a mistake for each document that is not one.
func decodeAll(input io.Reader, decode runtime.Decoder) (objects []runtime.Object, mistakes []string, err error) {
	reader := yaml.NewYAMLReader(bufio.NewReader(input))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, mistakes, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if isEmpty(document) {
			continue
		}
		object, _, err := decode.Decode(document, nil, nil)
		if err != nil {
			mistakes = append(mistakes, fmt.Sprintf("%s: %v", source(document), err))
			continue
		}
		objects = append(objects, object)
	}
}

// isEmpty is true for a document of comments alone, which Helm writes for a template without output.
func isEmpty(document []byte) bool {
	for _, line := range strings.Split(string(document), "\n") {
		if text := strings.TrimSpace(line); text != "" && text != "---" && !strings.HasPrefix(text, "#") {
			return false
		}
	}
	return true
}

// source is the template's name in Helm's comment above a document.
func source(document []byte) string {
	for _, line := range strings.Split(string(document), "\n") {
		if name, found := strings.CutPrefix(line, "# Source: "); found {
			return name
		}
	}
	return "a document"
}

func main() {
	decode, err := decoder()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	objects, mistakes, err := decodeAll(os.Stdin, decode)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	mistakes = append(mistakes, betweenObjects(objects)...)
	if len(objects) == 0 {
		mistakes = append(mistakes, "there is no object")
	}
	for _, mistake := range mistakes {
		fmt.Fprintln(os.Stderr, mistake)
	}
	if len(mistakes) > 0 {
		os.Exit(1)
	}
	for _, object := range objects {
		fmt.Println(nameOf(object))
	}
}
